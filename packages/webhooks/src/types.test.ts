import type { IncomingMessage } from "node:http";
import { describe, expectTypeOf, it } from "vitest";
import { isWebhookError, safeVerify, sign, verify } from "./index.ts";
import type {
  TryOnCompletedEvent,
  TryOnEvent,
  UnknownEvent,
  VerifyOptions,
  VerifyOutcome,
  WebhookError,
  WebhookErrorCode,
} from "./index.ts";
import { safeVerifySync, verifySync } from "./node/index.ts";
import type { VerifySyncOptions } from "./node/index.ts";

const secrets = "whsec_test";
const headers = { "x-service-signature": "" };

describe("VerifyOptions", () => {
  it("accept every type of bytes and text, with headers in every form", () => {
    expectTypeOf({ body: "", headers, secrets }).toExtend<VerifyOptions>();
    expectTypeOf({
      body: new Uint8Array(),
      headers: new Headers(),
      secrets,
    }).toExtend<VerifyOptions>();
    expectTypeOf({ body: Buffer.from(""), headers, secrets }).toExtend<VerifyOptions>();
    expectTypeOf({ body: new ArrayBuffer(0), headers, secrets }).toExtend<VerifyOptions>();
    expectTypeOf({
      body: new DataView(new ArrayBuffer(0)),
      headers,
      secrets,
    }).toExtend<VerifyOptions>();
    const pairs: Array<[string, string]> = [];
    expectTypeOf({ body: "", headers: pairs, secrets }).toExtend<VerifyOptions>();
    expectTypeOf({
      body: "",
      headers: new Map<string, string>(),
      secrets,
    }).toExtend<VerifyOptions>();
  });

  it("accept requests with or without other headers", () => {
    expectTypeOf<{ body: Request; secrets: string }>().toExtend<VerifyOptions>();
    expectTypeOf<{ body: IncomingMessage; secrets: string }>().toExtend<VerifyOptions>();
    expectTypeOf<{ body: Request; headers: Headers; secrets: string }>().toExtend<VerifyOptions>();
    expectTypeOf<IncomingMessage["headers"]>().toExtend<NonNullable<VerifyOptions["headers"]>>();
  });

  it("reject bytes without headers, a parsed object, and a missing body", () => {
    expectTypeOf<{ body: string; secrets: string }>().not.toExtend<VerifyOptions>();
    expectTypeOf<{
      body: { event: string };
      headers: Headers;
      secrets: string;
    }>().not.toExtend<VerifyOptions>();
    expectTypeOf<{ headers: Headers; secrets: string }>().not.toExtend<VerifyOptions>();
    expectTypeOf<{ body: Request }>().not.toExtend<VerifyOptions>();
  });

  it("accept a secret, an array or a function, with undefined entries", () => {
    type Source = VerifyOptions["secrets"];
    expectTypeOf<string | undefined>().toExtend<Source>();
    expectTypeOf<readonly (string | undefined)[]>().toExtend<Source>();
    expectTypeOf<() => Promise<string[]>>().toExtend<Source>();
    expectTypeOf<() => [string | undefined, string | undefined]>().toExtend<Source>();
    expectTypeOf<string | null>().not.toExtend<Source>();
  });
});

describe("VerifySyncOptions", () => {
  it("accept bytes, text, and requests with their bytes", () => {
    expectTypeOf({ body: "", headers, secrets }).toExtend<VerifySyncOptions>();
    expectTypeOf({ body: Buffer.from(""), headers, secrets }).toExtend<VerifySyncOptions>();
    const rawBody = Buffer.from("");
    type Kept = IncomingMessage & { rawBody: Buffer };
    expectTypeOf<{ body: Kept; secrets: string }>().toExtend<VerifySyncOptions>();
    expectTypeOf({ body: { headers, rawBody }, secrets }).not.toExtend<VerifySyncOptions>();
    expectTypeOf({ body: { headers, body: rawBody }, secrets }).toExtend<VerifySyncOptions>();
  });

  it("reject unread requests, bytes without headers, and a promise of secrets", () => {
    expectTypeOf<{ body: Request; secrets: string }>().not.toExtend<VerifySyncOptions>();
    expectTypeOf<{ body: IncomingMessage; secrets: string }>().not.toExtend<VerifySyncOptions>();
    expectTypeOf<{ body: string; secrets: string }>().not.toExtend<VerifySyncOptions>();
    expectTypeOf<() => Promise<string>>().not.toExtend<VerifySyncOptions["secrets"]>();
    expectTypeOf<() => readonly (string | undefined)[]>().toExtend<VerifySyncOptions["secrets"]>();
  });

  it("lead to the event, or the same outcome", () => {
    expectTypeOf(verifySync).returns.toEqualTypeOf<TryOnEvent>();
    expectTypeOf(safeVerifySync).returns.toEqualTypeOf<VerifyOutcome>();
  });
});

describe("results", () => {
  it("are an event whose status narrows its kind", () => {
    expectTypeOf(verify).returns.resolves.toEqualTypeOf<TryOnEvent>();
    expectTypeOf(narrowByStatus).parameter(0).toEqualTypeOf<TryOnEvent>();
    expectTypeOf<TryOnEvent>().not.toHaveProperty("result_url");
  });

  it("are an outcome whose ok narrows to an event or an error", () => {
    expectTypeOf(safeVerify).returns.resolves.toEqualTypeOf<VerifyOutcome>();
    type Accepted = Extract<VerifyOutcome, { ok: true }>;
    type Rejected = Extract<VerifyOutcome, { ok: false }>;
    expectTypeOf<Accepted["secretIndex"]>().toEqualTypeOf<number>();
    expectTypeOf<Rejected["code"]>().toEqualTypeOf<WebhookErrorCode>();
    expectTypeOf<Rejected>().not.toHaveProperty("event");
  });

  it("are a signature of bytes and text, not of objects", () => {
    expectTypeOf(sign).returns.resolves.toEqualTypeOf<string>();
    expectTypeOf<{ body: object; secret: string }>().not.toExtend<Parameters<typeof sign>[0]>();
  });

  it("are an error that the guard narrows to its code", () => {
    expectTypeOf(narrowByCode).parameter(0).toBeUnknown();
  });
});

// These functions only have to compile.
function narrowByStatus(event: TryOnEvent): void {
  if (event.status === "succeeded") {
    expectTypeOf(event).toEqualTypeOf<TryOnCompletedEvent>();
    expectTypeOf(event.job_id).toEqualTypeOf<string>();
    expectTypeOf(event.result_url).toEqualTypeOf<string | null>();
  }
  if (event.status === null) expectTypeOf(event).toEqualTypeOf<UnknownEvent>();
  else expectTypeOf(event.event).toEqualTypeOf<"tryon.completed">();
}

function narrowByCode(error: unknown): void {
  if (isWebhookError(error)) expectTypeOf(error.code).toEqualTypeOf<WebhookErrorCode>();
  if (isWebhookError(error, "stale_event")) {
    expectTypeOf(error).toExtend<WebhookError>();
    expectTypeOf(error.code).toEqualTypeOf<"stale_event">();
  }
}
