import * as crypto from "node:crypto";
import { createServer, request as sendRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { afterAll, describe, expect, it, vi } from "vitest";
import { isWebhookError, sign, verify } from "../index.ts";
import { safeVerifySync, verifySync } from "./index.ts";
import type { SyncSecretSource, VerifySyncOptions } from "./index.ts";

// Another file may have loaded the modules before, with the crypto of Node that no one looks at.
vi.hoisted(() => vi.resetModules());
vi.mock("node:crypto", { spy: true });

afterAll(() => {
  vi.doUnmock("node:crypto");
  vi.resetModules();
});

const secrets = "whsec_old";
const body = JSON.stringify({ event: "tryon.completed", job_id: "job_1", status: "succeeded" });
const headers = { "X-Service-Signature": await sign({ body, secret: secrets }) };
const bytes = new TextEncoder().encode(body);

/** For what the types forbid, and JavaScript allows. */
const untyped = (options: object) => safeVerifySync(options as VerifySyncOptions);
const untypedEvent = (options: object) => verifySync(options as VerifySyncOptions);
/** A request of Node with what a framework has kept on it. */
const kept = <Fields extends object>(fields: Fields) =>
  Object.assign(new PassThrough(), { headers }, fields);
const under = (source: SyncSecretSource) => safeVerifySync({ body, headers, secrets: source });

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return expect.unreachable("it was to throw");
}

it("an event is there at once", () => {
  expect(verifySync({ body, headers, secrets })).toMatchObject({ job_id: "job_1" });
});

it("a refusal is thrown with its code, and is known to the other entry of the package", () => {
  const error = thrownBy(() => verifySync({ body: "{}", headers, secrets }));
  expect(isWebhookError(error, "signature_mismatch")).toBe(true);
});

it("what the receiver itself threw is passed on, and taken for no refusal", () => {
  const failure = new Error("no clock");
  const now = () => {
    throw failure;
  };
  expect(() => safeVerifySync({ body, headers, secrets, maxAge: 1, now })).toThrow(failure);
});

describe("a body", () => {
  it("can be what a framework has kept, and brings its headers along", () => {
    expect(untyped({ body: kept({ rawBody: body, body: {} }), secrets }).ok).toBe(true);
    expect(untyped({ body: kept({ rawBody: bytes }), secrets }).ok).toBe(true);
    expect(untyped({ body: { headers, body: Buffer.from(body) }, secrets }).ok).toBe(true);
  });

  it("that was parsed and has the fields of a request is refused", () => {
    const parsed: unknown = JSON.parse(JSON.stringify({ headers, rawBody: body }));
    expect(untyped({ body: parsed, secrets })).toMatchObject({ code: "raw_body_required" });
  });

  it("gives way to headers that are passed besides", () => {
    const outcome = safeVerifySync({ body: kept({ rawBody: bytes }), headers: {}, secrets });
    expect(outcome).toMatchObject({ code: "missing_signature" });
  });

  it.each([
    ["a Request", new Request("https://shop.example", { method: "POST", headers, body })],
    ["an object that was parsed", JSON.parse(body) as unknown],
    ["a request with an object that was parsed", { headers, body: JSON.parse(body) as unknown }],
    ["a stream", new Blob([body]).stream()],
    ["nothing", undefined],
    ["null", null],
    ["a number", 7],
  ])("that is %s is refused, and the message names verify", (_, value) => {
    const outcome = untyped({ body: value, headers, secrets });
    expect(outcome).toMatchObject({ ok: false, code: "raw_body_required" });
    expect(outcome).toHaveProperty("message", expect.stringContaining("use verify, which reads"));
  });

  it("that a Node server has not read is refused, and is left to verify", async () => {
    const results = Promise.withResolvers<[unknown, unknown]>();
    const server = createServer((incoming, response) => {
      const refused = untyped({ body: incoming, secrets });
      const reading = verify({ body: incoming, secrets }).then(
        (event) => [refused, event] as const,
      );
      void reading.then(([one, other]) => results.resolve([one, other]), results.reject);
      void reading.finally(() => response.end());
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    // A server on a port has an address that is no text.
    const { port } = server.address() as AddressInfo;
    sendRequest({ port, method: "POST", headers, agent: false }).end(body);
    const [refused, event] = await results.promise;
    server.close();
    expect(refused).toMatchObject({ ok: false, code: "raw_body_required" });
    expect(event).toMatchObject({ job_id: "job_1" });
  });

  it("that cannot be looked into is refused, with the failure as the cause", () => {
    const failure = new Error("hostile");
    const hostile = kept({ rawBody: body });
    Object.defineProperty(hostile, "rawBody", {
      get() {
        throw failure;
      },
    });
    const error = thrownBy(() => verifySync({ body: hostile, headers, secrets }));
    expect(error).toMatchObject({ code: "raw_body_required", cause: failure });
  });

  it("that was parsed is refused without a cause, as nothing has failed", () => {
    const error = thrownBy(() => untypedEvent({ body: { headers, body: {} }, secrets }));
    expect(error).toMatchObject({ code: "raw_body_required" });
    expect(error).not.toHaveProperty("cause");
  });

  it.each([Number.NaN, -1, 0, bytes.length - 1])("over a bound of %s is refused", (bound) => {
    const outcome = safeVerifySync({ body, headers, secrets, maxBodyBytes: bound });
    expect(outcome).toMatchObject({ ok: false, code: "body_too_large" });
  });

  it("of just the bound is taken, and counts in bytes", () => {
    const text = `${body} \u00e9`;
    const outcome = (maxBodyBytes: number) =>
      safeVerifySync({ body: text, headers, secrets, maxBodyBytes });
    const length = Buffer.byteLength(text);
    expect(outcome(length)).toMatchObject({ code: "signature_mismatch" });
    expect(outcome(length - 1)).toMatchObject({ code: "body_too_large" });
  });

  it("that other threads share is copied before it is verified, as they may change it after", () => {
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
    shared.set(bytes);
    const digested = vi.mocked(crypto.createHmac);
    digested.mockClear();
    const update = vi.spyOn(crypto.Hmac.prototype, "update");
    try {
      expect(safeVerifySync({ body: shared, headers, secrets }).ok).toBe(true);
      const [[hashed] = []] = update.mock.calls;
      expect(hashed).toHaveProperty("buffer", expect.any(ArrayBuffer));
      expect(digested).toHaveBeenCalledTimes(1);
    } finally {
      update.mockRestore();
    }
  });
});

describe("secrets", () => {
  it.each<[string, SyncSecretSource]>([
    ["a list", ["whsec_new", secrets]],
    ["a function that gives a list", () => ["whsec_new", secrets]],
    ["a list whose first is not set", [undefined, secrets]],
  ])("can be %s, and the position of the one that fits is told", (_, source) => {
    expect(under(source)).toMatchObject({ ok: true, secretIndex: 1 });
  });

  it.each([
    ["the first", 0],
    ["the last", 3],
    ["none", -1],
  ])("are all tried, where %s fits", (_, fitting) => {
    const list = ["whsec_a", "whsec_b", undefined, "whsec_c"].map((secret, index) =>
      index === fitting ? secrets : secret,
    );
    const digested = vi.mocked(crypto.createHmac);
    digested.mockClear();
    expect(under(list).ok).toBe(fitting !== -1);
    expect(digested.mock.calls.map(([, key]) => key)).toStrictEqual(
      list.filter((secret) => secret !== undefined),
    );
  });

  it.each([undefined, "", " ", [], [undefined], ["", secrets]])("are refused as %j", (source) => {
    expect(under(source)).toMatchObject({ ok: false, code: "invalid_secret" });
    expect(under(() => source)).toMatchObject({ ok: false, code: "invalid_secret" });
  });

  it("of a function that throws are refused, with what it threw as the cause", () => {
    const failure = new Error("store is down");
    const error = thrownBy(() =>
      verifySync({
        body,
        headers,
        secrets: () => {
          throw failure;
        },
      }),
    );
    expect(error).toMatchObject({ code: "invalid_secret", cause: failure });
  });

  it.each([
    ["a good one", async () => secrets],
    ["one that fails", () => Promise.reject(new Error("store is down"))],
  ])("cannot be promised, be it %s, and the message names verify", async (_, source) => {
    const unhandled = vi.fn<() => void>();
    process.on("unhandledRejection", unhandled);
    try {
      const outcome = untyped({ body, headers, secrets: source });
      expect(outcome).toMatchObject({ ok: false, code: "invalid_secret" });
      expect(outcome).toHaveProperty("message", expect.stringContaining("Use verify"));
      await new Promise(setImmediate);
      expect(unhandled).not.toHaveBeenCalled();
    } finally {
      process.off("unhandledRejection", unhandled);
    }
  });

  it("are asked for once for each delivery, and not for one without a signature", () => {
    const source = vi.fn<() => string>(() => secrets);
    under(source);
    safeVerifySync({ body, headers: {}, secrets: source });
    expect(source).toHaveBeenCalledTimes(1);
  });
});
