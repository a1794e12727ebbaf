import * as crypto from "node:crypto";
import { PassThrough } from "node:stream";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import {
  completed as body,
  completedHeaders as headers,
  secret as secrets,
} from "../../test/events.ts";
import {
  safeVerifySync,
  verifySync,
  type SyncSecretSource,
  type VerifySyncOptions,
} from "./index.ts";

// Another file may have loaded the modules with the original crypto.
vi.hoisted(() => vi.resetModules());
vi.mock("node:crypto", { spy: true });

afterEach(() => {
  vi.clearAllMocks();
});
afterAll(() => {
  vi.doUnmock("node:crypto");
  vi.resetModules();
});

const bytes = new TextEncoder().encode(body);
const failure = new Error("failure");
const throwFailure = () => {
  throw failure;
};

/** Verifies values that the types forbid and JavaScript allows. */
const untyped = (options: object) => safeVerifySync({ secrets, ...options } as VerifySyncOptions);
/** Creates a Node request with the fields of a framework. */
const nodeRequest = (fields: object) => Object.assign(new PassThrough(), { headers }, fields);
const outcomeWith = (source: SyncSecretSource) =>
  safeVerifySync({ body, headers, secrets: source });

function thrownBy(given: object): unknown {
  const options: object = { headers, secrets, ...given };
  try {
    return verifySync(options as VerifySyncOptions);
  } catch (error) {
    return error;
  }
}

it("throws the error of another option unchanged", () => {
  const options = { body, headers, secrets, maxAge: 1, now: throwFailure };
  expect(() => safeVerifySync(options)).toThrow(failure);
});

describe("a body", () => {
  it.each([
    ["a Request", new Request("https://shop.example", { method: "POST", headers, body })],
    ["a parsed object", JSON.parse(body) as unknown],
    ["a parsed object with the fields of a request", { headers, rawBody: body }],
    ["a request with a parsed object", { headers, body: JSON.parse(body) as unknown }],
    ["an unread request of Node", nodeRequest({})],
    ["null", null],
  ])("is rejected if it is %s, and the message names verify", (_, value) => {
    const outcome = untyped({ body: value, headers });
    expect(outcome).toMatchObject({ ok: false, code: "raw_body_required" });
    expect(outcome).toHaveProperty("message", expect.stringContaining("use verify, which reads"));
  });

  it("is rejected with the cause if it cannot be read, and without if it was parsed", () => {
    const hostile = nodeRequest({});
    Object.defineProperty(hostile, "rawBody", { get: throwFailure });
    const rejection = { code: "raw_body_required" };
    expect(thrownBy({ body: hostile })).toMatchObject({ ...rejection, cause: failure });
    const error = thrownBy({ body: { headers, body: {} } });
    expect(error).toMatchObject(rejection);
    expect(error).not.toHaveProperty("cause");
  });

  it("is copied before its verification if threads share it", () => {
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
    shared.set(bytes);
    const update = vi.spyOn(crypto.Hmac.prototype, "update");
    try {
      expect(safeVerifySync({ body: shared, headers, secrets }).ok).toBe(true);
      const [[hashed] = []] = update.mock.calls;
      expect(hashed).toHaveProperty("buffer", expect.any(ArrayBuffer));
      expect(crypto.createHmac).toHaveBeenCalledTimes(1);
    } finally {
      update.mockRestore();
    }
  });
});

describe("secrets", () => {
  it.each([
    ["the first", 0],
    ["the last", 3],
    ["none", -1],
  ])("are all tried if %s matches", (_, matching) => {
    const list = ["whsec_a", "whsec_b", undefined, "whsec_c"].map((secret, index) =>
      index === matching ? secrets : secret,
    );
    expect(outcomeWith(list).ok).toBe(matching !== -1);
    expect(vi.mocked(crypto.createHmac).mock.calls.map(([, key]) => key)).toStrictEqual(
      list.filter((secret) => secret !== undefined),
    );
  });

  it("are rejected with the cause if their function throws", () => {
    const error = thrownBy({ body, secrets: throwFailure });
    expect(error).toMatchObject({ code: "invalid_secret", cause: failure });
  });

  it.each([
    ["resolves", async () => secrets],
    ["rejects", () => Promise.reject(new Error("store is down"))],
  ])("cannot be a promise that %s, and the message names verify", async (_, source) => {
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

  it("are requested once for each delivery with a signature", () => {
    const source = vi.fn<() => string>(() => secrets);
    outcomeWith(source);
    safeVerifySync({ body, headers: {}, secrets: source });
    expect(source).toHaveBeenCalledTimes(1);
  });
});
