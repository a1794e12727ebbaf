import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { isWebhookError, sign, verify, WebhookError } from "./index.ts";
import type { VerifyOptions, WebhookErrorCode } from "./index.ts";

const secret = "whsec_hush-hush";
const payload = "content-nobody-else-sees";
const jobId = "job_nobody-else-sees";

async function errorOf(options: VerifyOptions): Promise<unknown> {
  return verify(options).then(
    () => expect.unreachable("it was to be refused"),
    (error: unknown) => error,
  );
}

async function signed(body: string, more: Record<string, string> = {}): Promise<VerifyOptions> {
  const signature = await sign({ body, secret });
  return { body, headers: { "x-service-signature": signature, ...more }, secrets: secret };
}

const event = { event: "tryon.completed", job_id: jobId, status: "failed", error_message: payload };
const body = JSON.stringify(event);
const right = await signed(body);
const signature = await sign({ body, secret });

/** Those that verification gives. */
type Refusal = Exclude<WebhookErrorCode, "duplicate_event">;

const refused: Record<Refusal, VerifyOptions> = {
  missing_signature: { ...right, headers: { "x-other": payload } },
  malformed_signature: { ...right, headers: { "x-service-signature": `${signature} ${payload}` } },
  multiple_signatures: { ...right, headers: { "x-service-signature": [signature, payload] } },
  invalid_secret: { ...right, secrets: [secret, ""] },
  // Forbidden by the types.
  raw_body_required: { ...right, body: event } as unknown as VerifyOptions,
  body_too_large: { ...right, maxBodyBytes: 10 },
  signature_mismatch: { ...right, secrets: [`${secret}-other`] },
  invalid_json: await signed(`{"error_message":"${payload}",oops}`),
  invalid_event: await signed(JSON.stringify({ ...event, status: payload })),
  header_mismatch: await signed(body, { "X-Service-Job-Id": `${jobId}-other` }),
  stale_event: { ...right, maxAge: 1000 },
};

describe("an error holds neither header, nor payload, nor secret", () => {
  it.each(Object.entries(refused))("%s", async (code, options) => {
    const error = await errorOf(options);
    expect(error).toMatchObject({ code, name: "WebhookError" });
    const shown = [
      String(error),
      JSON.stringify(error),
      inspect(error, { depth: null, showHidden: true, getters: true }),
    ].join("\n");
    for (const held of [secret, payload, jobId, signature, signature.slice(-64)]) {
      expect(shown).not.toContain(held);
    }
  });
});

it("the README has what to do about each code", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const rows = readme.matchAll(/^\| `([a-z]+_[a-z_]+)`/gm);
  expect(new Set(Array.from(rows, ([, code]) => code))).toStrictEqual(
    new Set([...Object.keys(refused), "duplicate_event"]),
  );
});

it("an error can be logged as JSON, by name, code and message", async () => {
  const error = await errorOf({ ...right, headers: {} });
  expect(JSON.parse(JSON.stringify(error))).toStrictEqual({
    name: "WebhookError",
    code: "missing_signature",
    message: expect.stringContaining("X-Service-Signature"),
  });
});

it("an error is known across copies of the package, where instanceof is not", async () => {
  vi.resetModules();
  const copy = await import("./index.ts");
  const error = new copy.WebhookError("invalid_json", "…");
  expect(error instanceof WebhookError).toBe(false);
  expect(isWebhookError(error)).toBe(true);
  expect(isWebhookError(error, "invalid_json")).toBe(true);
  expect(isWebhookError(error, "invalid_event")).toBe(false);
});

it.each([undefined, null, "invalid_json", {}, { code: "invalid_json" }, new Error("invalid_json")])(
  "anything else is no error of ours: %o",
  (value) => {
    expect(isWebhookError(value)).toBe(false);
  },
);

it("what failed underneath is the cause", async () => {
  const failure = new Error("reset by peer");
  const broken = {
    headers: { "x-service-signature": signature },
    async *[Symbol.asyncIterator]() {
      yield new TextEncoder().encode(body);
      throw failure;
    },
  };
  const error = await errorOf({ body: broken, secrets: secret });
  expect(error).toMatchObject({ code: "raw_body_required", cause: failure });
});
