import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { isWebhookError, sign, verify, WebhookError } from "./index.ts";
import type { VerifyOptions, WebhookErrorCode } from "./index.ts";

const secret = "whsec_hush-hush";
const payload = "private-content";
const jobId = "job_private";

async function errorOf(options: VerifyOptions): Promise<unknown> {
  return verify(options).then(
    () => expect.unreachable("verify did not throw"),
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

/** Codes of verification. */
type VerificationCode = Exclude<WebhookErrorCode, "duplicate_event">;

const rejected: Record<VerificationCode, VerifyOptions> = {
  missing_signature: { ...right, headers: { "x-other": payload } },
  malformed_signature: { ...right, headers: { "x-service-signature": `${signature} ${payload}` } },
  multiple_signatures: { ...right, headers: { "x-service-signature": [signature, payload] } },
  invalid_secret: { ...right, secrets: [secret, ""] },
  // The types forbid a parsed body.
  raw_body_required: { ...right, body: event } as unknown as VerifyOptions,
  body_too_large: { ...right, maxBodyBytes: 10 },
  signature_mismatch: { ...right, secrets: [`${secret}-other`] },
  invalid_json: await signed(`{"error_message":"${payload}",oops}`),
  invalid_event: await signed(JSON.stringify({ ...event, status: payload })),
  header_mismatch: await signed(body, { "X-Service-Job-Id": `${jobId}-other` }),
  stale_event: { ...right, maxAge: 1000 },
};

describe("an error contains no header, payload or secret", () => {
  it.each(Object.entries(rejected))("%s", async (code, options) => {
    const error = await errorOf(options);
    expect(error).toMatchObject({ code, name: "WebhookError" });
    const printed = [
      String(error),
      JSON.stringify(error),
      inspect(error, { depth: null, showHidden: true, getters: true }),
    ].join("\n");
    for (const part of [secret, payload, jobId, signature, signature.slice(-64)]) {
      expect(printed).not.toContain(part);
    }
  });
});

it("has a fix for each code in the guide", () => {
  const guide = new URL("../../../docs/guides/webhooks.md", import.meta.url);
  const [, table = ""] = readFileSync(guide, "utf8").split("# Failure codes\n");
  const codes = Array.from(table.matchAll(/^\| `([a-z]+_[a-z_]+)`/gm), ([, code]) => code);
  expect(new Set(codes)).toStrictEqual(new Set([...Object.keys(rejected), "duplicate_event"]));
});

it("serializes to JSON with name, code and message", async () => {
  const error = await errorOf({ ...right, headers: {} });
  expect(JSON.parse(JSON.stringify(error))).toStrictEqual({
    name: "WebhookError",
    code: "missing_signature",
    message: expect.stringContaining("X-Service-Signature"),
  });
});

it("is recognized across copies of the package, also by instanceof", async () => {
  vi.resetModules();
  const copy = await import("./index.ts");
  const error = new copy.WebhookError("invalid_json", "…");
  expect(error).toBeInstanceOf(WebhookError);
  class OwnError extends WebhookError {}
  expect(error).not.toBeInstanceOf(OwnError);
  expect(new OwnError("invalid_json", "…")).toBeInstanceOf(OwnError);
  expect(isWebhookError(error)).toBe(true);
  expect(isWebhookError(error, "invalid_json")).toBe(true);
  expect(isWebhookError(error, "invalid_event")).toBe(false);
});

it.each([undefined, null, "invalid_json", {}, { code: "invalid_json" }, new Error("invalid_json")])(
  "does not recognize %o as a WebhookError",
  (value) => {
    expect(isWebhookError(value)).toBe(false);
  },
);

it("has the underlying error as its cause", async () => {
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
