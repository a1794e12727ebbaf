import {
  TryOnError,
  type InputIssue,
  type InputIssueCode,
  type TryOnErrorCode,
} from "@tryon/client";
import { expect, test } from "vitest";

import { createService, input, shirtUrl } from "../../test/service.ts";
import { inputIssue } from "../errors/input-issue.ts";
import { describeForShoppers } from "./index.ts";
import type { SessionError, ShopperCode, ShopperTexts, TryOnSnapshot } from "./index.ts";

const secrets = "svc_live_abc at https://api.internal, job_4fK9 of cus_17, 8 credits";

// The types of both tables require a line for each code.
const errorCodes: Readonly<Record<TryOnErrorCode, ShopperCode>> = {
  invalid_input: "not_available",
  bad_request: "photo_unusable",
  validation_failed: "options_unusable",
  payload_too_large: "photo_too_large",
  job_failed: "failed",
  rate_limited: "try_later",
  too_many_refusals: "blocked_often",
  connection_failed: "offline",
  timed_out: "offline",
  outcome_unknown: "unconfirmed",
  server_error: "unconfirmed",
  idempotency_conflict: "unconfirmed",
  unavailable: "not_available",
  wait_timed_out: "wait",
  result_expired: "wait",
  result_purged: "gone",
  not_found: "gone",
  unauthorized: "sign_in",
  forbidden: "not_available",
  insufficient_credits: "not_available",
  budget_exceeded: "not_available",
  batch_stopped: "not_available",
  payment_failed: "not_available",
  purchase_already_processed: "not_available",
  redirected: "not_available",
  unexpected_response: "not_available",
  unsafe_environment: "not_available",
  invalid_config: "not_available",
};

// For an issue of the photo. One of another field has other options.
const issueCodes: Readonly<Record<InputIssueCode, ShopperCode>> = {
  wrong_kind: "photo_unusable",
  not_an_object: "photo_unusable",
  not_a_list: "photo_unusable",
  not_json: "photo_unusable",
  twice: "photo_unusable",
  unreadable: "photo_damaged",
  too_large: "photo_too_large",
  missing: "incomplete",
  count: "incomplete",
  too_long: "photo_unusable",
  too_many: "photo_unusable",
  not_https: "photo_unusable",
  not_base64: "photo_unusable",
  empty: "photo_damaged",
  not_an_image: "photo_format",
  truncated: "photo_damaged",
  not_allowed: "photo_unusable",
  unknown_field: "photo_unusable",
  unknown_image: "photo_format",
  low_resolution: "photo_too_small",
  high_resolution: "photo_unusable",
  cmyk: "photo_unusable",
  wide_gamut: "photo_unusable",
  hdr: "photo_unusable",
  uncommon_format: "photo_unusable",
  animated: "photo_unusable",
  heic_or_avif: "photo_unusable",
  rotated: "photo_unusable",
  ignored: "photo_unusable",
  long_json: "photo_unusable",
};

const started = { startedAt: 1_000, person: undefined, isSaved: "all" } as const;
const waiting = { ...started, status: "waiting", jobId: "job_4fK9", jobStatus: "running" } as const;

function failed(
  error: Partial<SessionError>,
  state: { readonly canResume?: boolean; readonly jobId?: string } = {},
): TryOnSnapshot {
  const plain = { code: "unexpected", message: secrets, isContentBlocked: false } as const;
  const { canResume = true, jobId } = state;
  return {
    ...started,
    status: "failed",
    error: { ...plain, retryAfter: undefined, ...error },
    canResume,
    jobId,
  };
}

/** One subject for each text. */
const subjects: Readonly<Record<ShopperCode, unknown>> = {
  idle: { status: "idle" },
  preparing: { ...started, status: "preparing" },
  uploading: { ...started, status: "uploading", isRetrying: false },
  retrying: { ...started, status: "uploading", isRetrying: true },
  queued: { ...waiting, jobStatus: "queued" },
  running: waiting,
  slow: { ...waiting, startedAt: -30_000 },
  leave: { ...waiting, startedAt: -90_000 },
  loading: { ...waiting, jobStatus: "succeeded" },
  succeeded: { ...started, status: "succeeded", jobId: "job_4fK9", image: new Blob() },
  interrupted: { ...started, status: "interrupted" },
  photo_format: inputIssue("not_an_image", "person", secrets),
  photo_too_large: inputIssue("too_large", "garments.1", secrets, 10_500_000),
  photo_too_small: inputIssue("low_resolution", "person", secrets, 512),
  photo_damaged: inputIssue("truncated", "person_image_b64", secrets),
  photo_unusable: new TryOnError("bad_request", secrets),
  incomplete: inputIssue("count", "garments", 4, 3),
  options_unusable: inputIssue("too_long", "prompt", secrets, 1_000),
  blocked: failed({ code: "job_failed", isContentBlocked: true }, { canResume: false }),
  blocked_often: failed({ code: "too_many_refusals", retryAfter: 43_200 }),
  failed: failed({ code: "job_failed" }, { canResume: false }),
  try_later: failed({ code: "rate_limited", retryAfter: 170 }),
  offline: failed({ code: "connection_failed" }),
  unconfirmed: failed({ code: "outcome_unknown" }),
  wait: failed({ code: "unavailable" }, { jobId: "job_4fK9" }),
  gone: failed({ code: "result_purged" }, { canResume: false, jobId: "job_4fK9" }),
  sign_in: failed({ code: "unauthorized" }, { jobId: "job_4fK9" }),
  not_available: new TryOnError("insufficient_credits", secrets),
  page_error: new TypeError(secrets),
};
const codes = Object.entries(subjects);

test.each(codes)("has a short text for %s, without details of the shop", (code, subject) => {
  const { text, ...message } = describeForShoppers(subject, { now: 2_000 });
  expect(message.code).toBe(code);
  expect(text).toMatch(/^([A-Z][^_]+\.)?$/);
  expect(text === "").toBe(code === "idle");
  expect(text.length).toBeLessThan(100);
  const forbidden =
    /svc|key|credit|charg|cost|pay|free|code|api|http|url|proxy|server|job|_|undefined|NaN/i;
  expect(text).not.toMatch(forbidden);
  // A live region reads a text to its end.
  expect(text.split(". ").length).toBeLessThanOrEqual(2);
});

test.each(Object.entries(errorCodes))("describes the error %s as %s", (code, expected) => {
  // Entries have the keys of the table.
  const error = code as TryOnErrorCode;
  expect(describeForShoppers(new TryOnError(error, secrets)).code).toBe(expected);
  expect(describeForShoppers(failed({ code: error })).code).toBe(expected);
  const { isContentBlocked, retryAfter } = { isContentBlocked: false, retryAfter: undefined };
  const plain = { code: error, message: secrets, isContentBlocked, retryAfter };
  expect(describeForShoppers(plain).code).toBe(expected);
});

test.each(Object.entries(issueCodes))("describes the issue %s as %s", (code, expected) => {
  // Entries have the keys of the table.
  const issue = inputIssue(code as InputIssueCode, "person");
  expect(describeForShoppers(issue).code).toBe(expected);
});

/** Messages after each error, with the id of a job or without. */
const afterErrors = (jobId?: string) =>
  Object.keys(errorCodes).map((code) =>
    // Entries have the keys of the table.
    describeForShoppers(failed({ code: code as TryOnErrorCode }, jobId ? { jobId } : {})),
  );

test("never offers another try-on while a job may run", () => {
  const resumable = afterErrors("job_4fK9").filter(({ action }) => action === "resume");
  expect(new Set(resumable.map(({ code }) => code))).toEqual(new Set(["wait"]));
  const open = afterErrors().filter(({ code }) => code === "unconfirmed");
  expect(open.map(({ action }) => action)).toEqual(["resume", "resume", "resume"]);
});

test.each([
  ["wait", "resume"],
  ["interrupted", "resume"],
  ["unconfirmed", "resume"],
  ["offline", "resume"],
  ["blocked_often", "resume"],
  ["not_available", "resume"],
  ["blocked", "change"],
  ["photo_damaged", "change"],
  ["sign_in", "reload"],
  ["page_error", "reload"],
  ["running", undefined],
  ["succeeded", undefined],
] as const)("offers after %s the action %s", (code, action) => {
  expect(describeForShoppers(subjects[code]).action).toBe(action);
});

test.each([
  ["invalid_input", "not_available"],
  ["outcome_unknown", "gone"],
] as const)("offers a change if the session has deleted the try-on after %s", (code, expected) => {
  const state = failed({ code }, { canResume: false });
  expect(describeForShoppers(state)).toMatchObject({ code: expected, action: "change" });
});

test.each([
  [12.2, "Try again in 13 seconds."],
  [1, "Try again in 1 second."],
  [170, "Try again in 3 minutes."],
  [40_000, "Try again in 12 hours."],
  [undefined, "Try again in a moment."],
])("says how long to wait for %s seconds", (retryAfter, text) => {
  for (const code of ["rate_limited", "too_many_refusals"] as const) {
    const message = describeForShoppers(failed({ code, retryAfter }));
    expect(message.text).toContain(text);
    expect(message.retryAfter).toBe(retryAfter);
  }
});

test("names the image and the limit of an issue", async () => {
  const { client } = createService();
  const truncated = new Blob([Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 16)]);
  const garments = [shirtUrl, new Blob([])] as const;
  const described = (await client().validate({ person: truncated, garments })).map((issue) =>
    describeForShoppers(issue),
  );
  expect(described).toMatchObject([
    { code: "photo_damaged", field: "person", text: expect.stringContaining("Your photo ") },
    { code: "photo_damaged", field: "garments.1", text: expect.stringContaining("A garment ") },
  ]);
  const error: unknown = await client()
    .submit({ ...input, garments: [new Blob(["GIF, not"]), new Blob([])] })
    .catch((caught: unknown) => caught);
  expect(describeForShoppers(error)).toMatchObject({ field: "garments.0", action: "change" });
  expect(describeForShoppers(subjects.photo_too_large).limit).toBe(10_500_000);
});

test("names the image that a session could not send", async () => {
  const { client } = createService();
  const { createTryOnSession } = await import("./index.ts");
  const session = createTryOnSession(client());
  await session.start({ ...input, garments: [new Blob([])] });
  expect(describeForShoppers(session.getSnapshot())).toMatchObject({
    code: "photo_damaged",
    field: "garments.0",
    action: "change",
  });
});

test.each([
  ["person_url", "photo_unusable", "person"],
  ["garment_urls.1", "photo_unusable", "garments.1"],
  ["output_size", "options_unusable", "output_size"],
])("describes a %s that the service has refused as %s", (field, code, name) => {
  const issues = [{ field, message: secrets }];
  const error = new TryOnError("validation_failed", secrets, { issues });
  expect(describeForShoppers(error)).toMatchObject({ code, field: name });
});

const at = (now: number, isSaved: "all" | "job" | false = "all", typical?: number) =>
  describeForShoppers({ ...waiting, isSaved }, { now, typical });

test("measures the time since the start, and invites to leave only if the try-on is saved", () => {
  expect(at(8_900)).toMatchObject({ code: "running", elapsed: 7, typical: 30 });
  expect(at(31_000).code).toBe("running");
  expect(at(32_000).code).toBe("slow");
  expect(at(92_000).code).toBe("leave");
  expect(at(92_000, "job").code).toBe("leave");
  expect(at(92_000, false).code).toBe("slow");
  expect(at(32_000, "all", 60)).toMatchObject({ code: "running", typical: 60 });
  // The clock was set back.
  expect(at(0)).toMatchObject({ code: "running", elapsed: 0 });
  // A text that changes each second would be read each second.
  expect(at(3_000).text).toBe(at(9_000).text);
});

test.each([
  ["an aborted call", new DOMException("Aborted", "AbortError"), "interrupted"],
  ["an error of a system", Object.assign(new Error("EACCES"), { code: "EACCES" }), "page_error"],
  ["a value that is not an error", undefined, "page_error"],
  ["an error of prepare in a session", failed({}), "page_error"],
] as const)("describes %s", (_what, subject, code) => {
  expect(describeForShoppers(subject).code).toBe(code);
});

test("uses the texts of the app, which can be functions of the details", () => {
  const texts: ShopperTexts = {
    blocked: "Dieses Foto ist nicht erlaubt.",
    try_later: ({ retryAfter = 0 }) => `Bitte in ${retryAfter} Sekunden noch einmal versuchen.`,
  };
  const textOf = (code: ShopperCode) => describeForShoppers(subjects[code], { texts }).text;
  expect(textOf("blocked")).toBe("Dieses Foto ist nicht erlaubt.");
  expect(textOf("try_later")).toBe("Bitte in 170 Sekunden noch einmal versuchen.");
  expect(textOf("succeeded")).toBe("Your image is ready.");
});

test("takes an issue of another version as an unusable photo only if it is of an image", () => {
  const issue = { ...inputIssue("cmyk", "person"), code: "new_one" } as unknown as InputIssue;
  expect(describeForShoppers(issue).code).toBe("photo_unusable");
  expect(describeForShoppers({ ...issue, field: "metadata" }).code).toBe("options_unusable");
});
