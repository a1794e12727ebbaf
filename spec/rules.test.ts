import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";

import optionDocument from "./options.json" with { type: "json" };
import document from "./rules.json" with { type: "json" };
import schema from "./rules.schema.json" with { type: "json" };

interface Rule {
  id: string;
  section: string;
  rule: string;
  shown_by: ("server" | "client" | "webhooks" | "docs")[];
  also_in?: string[];
  open?: true;
}

const validate = new Ajv2020({ allErrors: true, strictRequired: false }).compile<{ rules: Rule[] }>(
  schema,
);
const rules: readonly Rule[] = validate(document) ? document.rules : [];
const ids = new Set(rules.map((rule) => rule.id));

/** Sections with rules, in the order of the rules. */
const sections = rules
  .map(({ section }) => section)
  .filter((section, index, all) => section !== all[index - 1]);

const fields = {
  request:
    "person_url person_image_b64 garment_urls garment_images_b64 output_size prompt style_hint negative_prompt wait webhook_url metadata seed",
  "submit-response":
    "job_id status result_url cost_credits credits_remaining seed metadata test_mode error_code error_message message",
  job: "job_id status result_url result_width result_height result_bytes result_content_type seed metadata error_code error_message cost_credits duration_ms created_at completed_at",
  list: "jobs next_cursor limit cursor status_filter",
  account: "name credits_remaining rate_limit_per_min total_calls tryon_cost_credits",
  "purchase-request": "pack_slug shared_payment_granted_token",
  "purchase-response":
    "payment_intent_id status pack_slug credits_added credits_remaining next_action",
  "error-response": "detail",
  "validation-error": "detail loc msg type input ctx",
  "webhook.body":
    "event job_id status result_url error_code error_message duration_ms completed_at",
};

// What says when a status is given, and what says whether it is charged.
const statuses = [
  ["400", "submit.400.bad-url", "errors.400.not-charged"],
  ["401", "auth.key.missing-401", "errors.401.not-charged"],
  ["402", "submit.402.too-few-credits", "errors.402.not-charged"],
  ["403", "auth.key.disabled-or-revoked-403", "errors.403.not-charged"],
  ["404", "poll.404.unknown-job", "errors.404.not-charged"],
  ["409", "submit.idempotency-key.conflict", "errors.409.not-charged"],
  ["422", "validation-error.detail.array", "errors.422.not-charged"],
  ["429", "errors.429.rate-limited", "errors.429.not-charged"],
  ["500", "errors.500.not-charged", "errors.500.not-charged"],
  ["503", "errors.503.back-off", "errors.503.charge"],
] as const;

const limits = [
  ["request.garments.at-least-one", "1"],
  ["request.garments.at-most-three", "3"],
  ["request.person-url.max-length", "2000"],
  ["request.webhook-url.max-length", "2000"],
  ["request.person-image-b64.max-length", "14000000"],
  ["request.garment-images-b64.decoded-size", "10"],
  ["request.prompt.max-length", "1000"],
  ["request.style-hint.max-length", "500"],
  ["request.negative-prompt.max-length", "500"],
  ["request.metadata.max-keys", "8"],
  ["request.metadata.max-length", "256"],
  ["request.seed.range", "0", "2147483647"],
  ["submit.idempotency-key.max-length", "200"],
  ["states.sync.running-at-limit", "90"],
  ["submit-response.result-url.validity", "24"],
  ["job.result-url.validity", "24"],
  ["privacy.results.thirty-days", "30"],
  ["webhook.retry.schedule", "3", "1", "4", "16"],
  ["webhook.receiver.within-ten-seconds", "10"],
  ["auth.account.one-test-key", "one"],
  ["list.limit.default", "20"],
  ["limits.rate.per-key", "each key"],
  ["limits.daily-spend-cap.value", "a day"],
  ["limits.idempotency-key.retention", "how long"],
];

const amounts = [
  ["sizes.1k.cost", "`1K`", "8"],
  ["sizes.2k.cost", "`2K`", "12"],
  ["sizes.4k.cost", "`4K`", "20"],
  ["packs.demo.price-and-credits", "2", "100"],
  ["packs.starter.price-and-credits", "25", "1200"],
  ["packs.pro.price-and-credits", "99", "5600"],
  ["packs.scale.price-and-credits", "499", "32000"],
  ["packs.enterprise.price-and-credits", "999", "72000"],
];

const statedInTwoWays = [
  "submit.validation.400-or-422",
  "submit.shape.cost-credits",
  "list.status-filter.name",
  "purchase.validation.400-or-422",
  "purchase.repeat.answer",
  "credits.refund.failed-job",
  "credits.refund.content-blocked",
];

const textOf = (id: string): string => rules.find((rule) => rule.id === id)?.rule ?? "";
const names = (text: string, words: readonly string[]): boolean =>
  words.every((word) => ` ${text.replaceAll(/[.,:;]/gu, " ")} `.includes(` ${word} `));
const repeated = (values: readonly string[]): string[] =>
  values.filter((value, index) => values.indexOf(value) !== index);

test("every rule is complete and says in its form whether it is open", () => {
  expect(validate.errors ?? []).toEqual([]);
});

test("no id and no sentence comes twice", () => {
  expect(repeated(rules.map(({ id }) => id))).toEqual([]);
  const sentences = rules.map(({ rule }) => rule.toLowerCase().replaceAll(/[^a-z0-9]+/gu, " "));
  expect(repeated(sentences)).toEqual([]);
});

test("an id is words, and its only numbers of their own are statuses", () => {
  const known = new Set<string>(statuses.map(([status]) => status));
  const numbers = [...ids].flatMap((id) => id.split(".").filter((word) => /^\d+$/u.test(word)));
  expect(numbers.filter((number) => !known.has(number))).toEqual([]);
});

test("a rule is one sentence", () => {
  expect(rules.filter(({ rule }) => /[.!?] [A-Z`]/u.test(rule))).toEqual([]);
});

test("the rules of a section are together", () => {
  expect(repeated(sections)).toEqual([]);
});

test("a rule names other sections that say the same, and not its own", () => {
  const strange = rules.filter(({ section, also_in = [] }) =>
    also_in.some((other) => other === section || !sections.includes(other)),
  );
  expect(strange).toEqual([]);
});

test.each(Object.entries(fields))("every field of %s has a rule that names it", (prefix, list) => {
  const missing = list.split(" ").filter((field) => {
    const start = `${prefix}.${field.replaceAll("_", "-")}.`;
    return !rules.some(
      ({ id, rule }) => `${id}.`.startsWith(start) && rule.includes(`\`${field}\``),
    );
  });
  expect(missing).toEqual([]);
});

test.each(statuses)("status %s has a rule for when it is given and for its charge", (...row) => {
  const [status, when, charge] = row;
  expect(ids).toContain(when);
  expect(textOf(charge)).toMatch(new RegExp(`\\b${status}\\b.*(credits|balance)`, "u"));
});

test.each(limits)("the limit %s is told with its value, as a limit", (id, ...values) => {
  const rule = rules.find((candidate) => candidate.id === id);
  expect([rule?.section, ...(rule?.also_in ?? [])]).toContain("Limits");
  expect(names(textOf(id), values)).toBe(true);
});

test.each(amounts)("%s names its amounts", (id, ...values) => {
  expect(names(textOf(id), values)).toBe(true);
});

test("each option settles open rules, with different values and their meanings", () => {
  expect(repeated(optionDocument.options.map(({ id }) => id))).toEqual([]);
  for (const { id, rules: settled, values } of optionDocument.options) {
    expect(settled.length, id).toBeGreaterThan(0);
    for (const rule of settled) expect(rules.find((one) => one.id === rule)?.open, rule).toBe(true);
    expect(new Set(values.map(([value]) => value)).size, id).toBe(values.length);
    expect(new Set(values.map(([, meaning]) => meaning)).size, id).toBe(values.length);
  }
});

test("what the document says in two ways is marked so, and nothing else", () => {
  const marked = rules.filter(({ rule }) => rule.startsWith("Stated in two ways:"));
  expect(marked.map(({ id }) => id)).toEqual(statedInTwoWays);
});
