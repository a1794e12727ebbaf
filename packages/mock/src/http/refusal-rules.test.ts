import { describe, expect, test } from "vitest";

import { caller, manualServer, type Caller } from "../../test/caller.ts";
import { covers } from "../../test/covers.ts";
import { stockEngine } from "../engine/stock.ts";
import type { Mock, MockOptions } from "../mock.ts";

const long = "x".repeat(3_000);
const image = stockEngine();
const key = { "idempotency-key": "order-1" };
const buy = (fields: object) => (call: Caller) =>
  call.purchase({ pack_slug: "demo", shared_payment_granted_token: "spt_1", ...fields });
const submit =
  (...[fields, headers]: Parameters<Caller["submit"]>) =>
  (call: Caller) =>
    call.submit(fields, headers);
const withKeyOf = (name: keyof Mock["keys"]) => (_call: Caller, mock: Mock) =>
  caller(mock, mock.keys[name]).submit();

type Send = (call: Caller, mock: Mock) => Promise<unknown>;

const refusals: [rule: string | null, send: Send, options?: MockOptions][] = [
  ["auth.key.missing-401", (_call, mock) => caller(mock, null).account()],
  ["auth.key.invalid-401", (_call, mock) => caller(mock, "svc_live_unknown").account()],
  ["auth.key.disabled-or-revoked-403", withKeyOf("disabled")],
  ["auth.account.flagged-403", withKeyOf("flagged")],
  [
    "content.blocked.suspension",
    async (_call, mock) =>
      caller(mock, (await mock.createKey({ state: "suspended" })).token).account(),
  ],
  ["submit.402.too-few-credits", withKeyOf("empty")],
  [
    "errors.429.rate-limited",
    async (_call, mock) => {
      for (let count = 0; count < 6; count += 1) await caller(mock, mock.keys.limited).account();
    },
  ],
  ["request.person.required", submit({ person_url: null })],
  ["request.garments.at-least-one", submit({ garment_urls: [] })],
  [
    "request.garments.at-most-three",
    submit({ garment_images_b64: ["A".repeat(40), "A".repeat(40), "A".repeat(40)] }),
  ],
  ["request.garment-urls.max-items", submit({ garment_urls: [long, long, long, long] })],
  ["request.garment-urls.https", submit({ garment_urls: "https://a.example" })],
  ["request.garment-urls.aliases", submit({ clothing: 1 })],
  ["request.person-url.max-length", submit({ person_url: `https://a.example/${long}` })],
  ["request.person-url.https", submit({ person_url: 7 })],
  ["request.person-url.aliases", submit({ model_url: 7 })],
  ["submit.400.bad-url", submit({ person_url: "ftp://a.example" })],
  ["submit.400.bad-url", submit({ webhook_url: "ftp://a.example" })],
  ["submit.400.image-fetch-failed", submit({ person_url: "https://a.invalid/a.png" })],
  ["request.person-image-b64.no-data-prefix", submit({ person_image_b64: "data:image/png,AA" })],
  ["request.person-image-b64.base64", submit({ person_image_b64: "!" })],
  ["request.garment-images-b64.base64", submit({ garment_images_b64: ["!"] })],
  ["request.images.exact-bound-and-kinds", submit({ person_image_b64: "A".repeat(40) })],
  ["submit.400.image-too-large", submit({ garment_images_b64: ["A".repeat(14_000_400)] })],
  [
    "request.images.exact-bound-and-kinds",
    submit(),
    { engine: { ...image, imageProblem: async () => "is too dark." } },
  ],
  ["request.output-size.values", submit({ output_size: "8K" })],
  ["request.output-size.aliases", submit({ size: "8K" })],
  ["request.prompt.max-length", submit({ prompt: long })],
  ["request.webhook-url.max-length", submit({ webhook_url: `https://a.example/${long}` })],
  [
    "request.metadata.max-keys",
    submit({
      metadata: Object.fromEntries(Array.from({ length: 9 }, (_, index) => [String(index), ""])),
    }),
  ],
  ["request.metadata.max-length", submit({ metadata: { a: long } })],
  ["request.seed.range", submit({ seed: -1 })],
  ["request.seed.range", submit({ seed: -1 }), { options: { fieldStatus: 400 } }],
  ["submit.idempotency-key.max-length", submit({}, { "idempotency-key": long })],
  [
    "submit.idempotency-key.conflict",
    async (call) => {
      await call.submit({ seed: 1 }, key);
      await call.submit({ seed: 2 }, key);
    },
  ],
  ["poll.404.unknown-job", (call) => call.poll("job_none")],
  [
    "poll.404.job-of-another-key",
    async (call, mock) => {
      const { body } = await call.submit();
      await caller(mock, mock.keys.test).poll(body.job_id);
    },
  ],
  [
    "poll.fresh-job.visible",
    async (call) => call.poll((await call.submit()).body.job_id),
    { options: { readLag: 800 } },
  ],
  ["list.limit.bounds", (call) => call.list("?limit=0")],
  ["list.status-filter.values", (call) => call.list("?status_filter=done")],
  ["list.cursor.unknown", (call) => call.list("?cursor=job_none")],
  [
    "list.cursor.unknown",
    (call) => call.list("?cursor=job_none"),
    { options: { unknownCursor: 422 } },
  ],
  ["purchase.400.invalid-pack-or-token", buy({ pack_slug: "huge" })],
  ["purchase.400.invalid-pack-or-token", buy({ shared_payment_granted_token: "tok_1" })],
  [
    "purchase-request.shared-payment-granted-token.length",
    buy({ shared_payment_granted_token: "s" }),
  ],
  ["purchase.402.payment-failed", buy({ shared_payment_granted_token: "spt_declined_1" })],
  [
    "endpoints.post.content-type",
    (call) => call.call("/api/v1/tryon", { method: "POST", body: "{}" }),
  ],
  ["endpoints.json", (call) => call.post("/api/v1/tryon", [])],
  [
    "errors.500.not-charged",
    submit(),
    { engine: { ...image, prepare: () => Promise.reject(new Error("down")) } },
  ],
  ["job.result-url.expired-answer", (_call, mock) => caller(mock, null).get("/results/job_1.png")],
  [null, (call) => call.get("/nowhere")],
];

describe("a refusal charges nothing, and the journal has the rule that the request broke", () => {
  test.each(refusals)("%s", async (rule, send, options = {}) => {
    covers(
      "errors.400.not-charged",
      "errors.401.not-charged",
      "errors.402.not-charged",
      "errors.403.not-charged",
      "errors.404.not-charged",
      "errors.409.not-charged",
      "errors.422.not-charged",
      "errors.429.not-charged",
      "error-response.detail.string",
    );
    const { mock, call } = manualServer(options);
    await send(call, mock);
    const refusal = mock.journal.entries().at(-1)?.refusal;
    expect(refusal?.rule).toBe(rule);
    // Images have errors in XML.
    expect(refusal?.detail).toMatch(rule?.startsWith("job.") ? /^$/ : /\w+ \w+/);
    expect(refusal?.detail.length).toBeLessThanOrEqual(330);
    await mock.clock.advance("1h");
    const { jobs } = (await call.list()).body;
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(1_000 - 8 * jobs.length);
  });

  test("and the reason in the response, without secrets", async () => {
    const { mock, call } = manualServer();
    await call.submit({ output_size: "svc_live_0123456789abcdef", prompt: long });
    await withKeyOf("empty")(call, mock);
    await call.account();
    mock.faults.add({ on: "* *", times: 1, status: 503, body: "down" });
    await mock.fetch(mock.baseUrl);
    expect(mock.journal.entries().map(({ refusal }) => refusal)).toEqual([
      {
        rule: "request.output-size.values",
        detail:
          "body.output_size: Input should be '1K', '2K' or '4K'; body.prompt: String should have at most 1000 characters",
      },
      {
        rule: "submit.402.too-few-credits",
        detail: expect.stringContaining("this try-on costs 8 and the key has 0.") as unknown,
      },
      null,
      null,
    ]);
  });
});
