import type { IncomingMessage } from "node:http";
import { describe, expectTypeOf, it } from "vitest";
import { isWebhookError, safeVerify, sign, verify } from "./index.ts";
import type {
  TryOnCompletedEvent,
  TryOnEvent,
  TryOnFailedEvent,
  TryOnSucceededEvent,
  UnknownEvent,
  VerifyOptions,
  VerifyOutcome,
  WebhookError,
  WebhookErrorCode,
} from "./index.ts";
import { safeVerifySync, verifySync } from "./node/index.ts";
import type { VerifySyncOptions } from "./node/index.ts";

type Settings = { secrets: string };
type HeadersOf<Options> = Options extends { headers: infer Given } ? Given : never;

describe("VerifyOptions", () => {
  it("accept every type of bytes and text with headers", () => {
    type Bytes = string | Uint8Array | Buffer | ArrayBuffer | DataView;
    expectTypeOf<Settings & { body: Bytes; headers: Headers }>().toExtend<VerifyOptions>();
    type Given = HeadersOf<VerifyOptions>;
    expectTypeOf<Record<string, string>>().toExtend<Given>();
    expectTypeOf<Array<[string, string]> | Map<string, string>>().toExtend<Given>();
    expectTypeOf<IncomingMessage["headers"]>().toExtend<Given>();
  });

  it("accept requests with or without other headers", () => {
    expectTypeOf<Settings & { body: Request }>().toExtend<VerifyOptions>();
    expectTypeOf<Settings & { body: IncomingMessage }>().toExtend<VerifyOptions>();
    expectTypeOf<Settings & { body: Request; headers: Headers }>().toExtend<VerifyOptions>();
  });

  it("reject bytes without headers, a parsed object, and a missing body", () => {
    expectTypeOf<Settings & { body: string }>().not.toExtend<VerifyOptions>();
    type Parsed = Settings & { body: { event: string }; headers: Headers };
    expectTypeOf<Parsed>().not.toExtend<VerifyOptions>();
    expectTypeOf<Settings & { headers: Headers }>().not.toExtend<VerifyOptions>();
    expectTypeOf<{ body: Request }>().not.toExtend<VerifyOptions>();
  });

  it("accept a secret, an array or a function, with undefined entries", () => {
    type Source = VerifyOptions["secrets"];
    expectTypeOf<string | undefined | readonly (string | undefined)[]>().toExtend<Source>();
    expectTypeOf<() => Promise<string[]>>().toExtend<Source>();
    expectTypeOf<string | null>().not.toExtend<Source>();
  });
});

describe("VerifySyncOptions", () => {
  it("accept bytes, text, and requests with their bytes", () => {
    type Delivery = Settings & { body: string | Buffer; headers: Headers };
    expectTypeOf<Delivery>().toExtend<VerifySyncOptions>();
    type Kept = IncomingMessage & { rawBody: Buffer };
    expectTypeOf<Settings & { body: Kept }>().toExtend<VerifySyncOptions>();
    type Parsed = { headers: Headers; rawBody: Buffer };
    expectTypeOf<Settings & { body: Parsed }>().not.toExtend<VerifySyncOptions>();
    type Buffered = { headers: Headers; body: Buffer };
    expectTypeOf<Settings & { body: Buffered }>().toExtend<VerifySyncOptions>();
  });

  it("reject unread requests, bytes without headers, and a promise of secrets", () => {
    expectTypeOf<Settings & { body: Request }>().not.toExtend<VerifySyncOptions>();
    expectTypeOf<Settings & { body: IncomingMessage }>().not.toExtend<VerifySyncOptions>();
    expectTypeOf<Settings & { body: string }>().not.toExtend<VerifySyncOptions>();
    expectTypeOf<() => Promise<string>>().not.toExtend<VerifySyncOptions["secrets"]>();
  });
});

describe("results", () => {
  it("are an event, an outcome or a signature", () => {
    expectTypeOf(verify).returns.resolves.toEqualTypeOf<TryOnEvent>();
    expectTypeOf(verifySync).returns.toEqualTypeOf<TryOnEvent>();
    expectTypeOf(safeVerify).returns.resolves.toEqualTypeOf<VerifyOutcome>();
    expectTypeOf(safeVerifySync).returns.toEqualTypeOf<VerifyOutcome>();
    expectTypeOf(sign).returns.resolves.toEqualTypeOf<string>();
    expectTypeOf<{ body: object; secret: string }>().not.toExtend<Parameters<typeof sign>[0]>();
  });

  it("narrow by status, ok and code", () => {
    expectTypeOf<TryOnEvent>().not.toHaveProperty("result_url");
    expectTypeOf<Extract<TryOnEvent, { status: null }>>().toEqualTypeOf<UnknownEvent>();
    type Known = Exclude<TryOnEvent, { status: null }>;
    expectTypeOf<Known>().toEqualTypeOf<TryOnCompletedEvent>();
    expectTypeOf<Extract<Known, { status: "failed" }>>().toEqualTypeOf<TryOnFailedEvent>();
    expectTypeOf<TryOnFailedEvent["result_url"]>().toEqualTypeOf<null>();
    expectTypeOf<TryOnFailedEvent>().not.toHaveProperty("image");
    expectTypeOf<TryOnSucceededEvent["result_url"]>().toEqualTypeOf<string | null>();
    expectTypeOf<Extract<VerifyOutcome, { ok: false }>>().not.toHaveProperty("event");
    expectTypeOf(narrowByCode).parameter(0).toBeUnknown();
  });
});

// This function only has to compile.
function narrowByCode(error: unknown): void {
  if (isWebhookError(error)) expectTypeOf(error.code).toEqualTypeOf<WebhookErrorCode>();
  if (isWebhookError(error, "stale_event")) {
    expectTypeOf(error).toExtend<WebhookError>();
    expectTypeOf(error.code).toEqualTypeOf<"stale_event">();
  }
}
