import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { inspect } from "node:util";

import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  dictionary,
  jsonValue,
  oneof,
  string,
  uint8Array,
} from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "@tryon/test-kit/cases";

import { isTryOnError, TryOn, type TryOnErrorCode, type TryOnOptions } from "../index.ts";
import { httpServer } from "../../test/http-server.ts";
import { failure, input } from "../../test/service.ts";

const calls = {
  read: (tryon: TryOn) => tryon.account.get(),
  submit: (tryon: TryOn) => tryon.submit(input),
  purchase: (tryon: TryOn) =>
    tryon.credits.purchase({ pack_slug: "demo", shared_payment_granted_token: "spt_a" }),
};
type Call = keyof typeof calls;

/** Returns the error code of a status, with any body. */
function codeOf(status: number, call: Call): TryOnErrorCode {
  if (status < 300) return "unexpected_response";
  if (status < 400) return status === 304 ? "unexpected_response" : "redirected";
  if (status === 402) return call === "purchase" ? "payment_failed" : "insufficient_credits";
  if (status === 409 && call === "purchase") return "purchase_already_processed";
  if (status === 409 && call === "submit") return "idempotency_conflict";
  const names: Readonly<Record<number, TryOnErrorCode>> = {
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    413: "payload_too_large",
    422: "validation_failed",
    429: "rate_limited",
    503: "unavailable",
  };
  return names[status] ?? (status < 500 ? "bad_request" : "server_error");
}

function isObject(body: Uint8Array | string | undefined): boolean {
  return (
    body !== undefined &&
    /^(\u00EF\u00BB\u00BF)?\{.*\}$/s.test(Buffer.from(body).toString("latin1"))
  );
}

/** Headers of every response. The client does not wait this long, so it sends one request. */
const commonHeaders = { "retry-after": "61", "x-request-id": "req_1" };

/** Starts a server, and returns a function that calls it once and checks the error. */
async function startServer(call: Call) {
  let respond: ((response: ServerResponse) => void) | undefined;
  const { url: baseUrl } = await httpServer((response) => {
    response.on("error", () => undefined);
    for (const [name, value] of Object.entries(commonHeaders)) response.setHeader(name, value);
    respond?.(response);
  });
  return (status: number, next: (response: ServerResponse) => void): Promise<string> => {
    respond = next;
    return check(call, status, { baseUrl });
  };
}

/** Does the same in process, which takes a tenth of the time. */
function checkInProcess(
  call: Call,
  status: number,
  body: Uint8Array<ArrayBuffer> | string | undefined,
  headers: Record<string, string>,
): Promise<string> {
  const isEmpty = status === 204 || status === 205 || status === 304;
  const init = { status, headers: { ...commonHeaders, ...headers } };
  return check(call, status, {
    baseUrl: "https://tryon.example",
    fetch: async () => new Response(isEmpty ? null : body, init),
  });
}

/** Checks what holds for every error, and returns the message. */
async function check(call: Call, status: number, options: TryOnOptions): Promise<string> {
  const tryon = new TryOn({ apiKey: "svc_test_a", retries: 0, timeout: "20s", ...options });
  const error = await failure(calls[call](tryon));
  if (!isTryOnError(error)) throw error;
  const shown = error.code === "outcome_unknown" ? error.cause : error;
  if (!isTryOnError(shown)) throw error;
  // A response that breaks off counts as no response.
  const isBroken = shown.code === "connection_failed";
  const requestId = expect.stringMatching(/^(req_1|\[…\])$/) as unknown;
  expect(shown).toMatchObject(
    isBroken
      ? { attempts: [{}] }
      : { code: codeOf(status, call), status, retryAfter: 61, requestId },
  );
  expect(error.attempts).toHaveLength(1);
  for (const { message } of [error, shown]) expect(message.length).toBeLessThan(1_000);
  expect(JSON.stringify(error).length).toBeLessThan(20_000);
  expect(inspect(error, { depth: 9 }).length).toBeLessThan(40_000);
  expect(String(error)).not.toMatch(/\n/);
  return shown.message;
}

const statuses = [
  200, 201, 204, 226, 300, 301, 304, 307, 308, 399, 400, 401, 402, 403, 404, 405,
].concat([
  408, 409, 410, 413, 418, 422, 425, 429, 431, 451, 499, 500, 501, 502, 503, 504, 520, 524, 599,
]);

const bodies: Readonly<Record<string, Uint8Array<ArrayBuffer> | string>> = {
  "no text": "",
  "a page":
    "<!doctype html><html><style>a{}</style><script>x()</script><h1>Bad &amp; ugly</h1></html>",
  "a page of 200 kB": `<html>${"<p>busy</p>".repeat(20_000)}`,
  XML: "<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>",
  "a list": "[]",
  "a text in JSON": '"text"',
  "a number": "42",
  null: "null",
  "JSON that ends early": '{"detail":[{"loc":["body","prompt"],"msg":"too',
  "a detail of another type": '{"detail":{"toString":1,"message":"no"}}',
  "issues of other types":
    '{"detail":[null,1,"a",[[1]],{"loc":"x","msg":{"toString":1},"type":[]},{"loc":[{"toString":1},[[["a"]]],null,true,3]}]}',
  "1,000 issues": JSON.stringify({
    detail: Array.from({ length: 1_000 }, () => ({
      loc: ["body", "p".repeat(500)],
      msg: "m".repeat(500),
      type: "t".repeat(900),
    })),
  }),
  "an empty list of issues": '{"detail":[]}',
  "deep nesting": '{"detail":['.repeat(5_000),
  "deep nesting to the end": `{"detail":[{"loc":[${"[".repeat(8_000)}${"]".repeat(8_000)}],"msg":${"[".repeat(8_000)}${"]".repeat(8_000)}}]}`,
  "a long sentence": JSON.stringify({ detail: "word ".repeat(10_000) }),
  "many lines": JSON.stringify({ detail: "a\r\n\tb\u2028c\n".repeat(50) }),
  "no UTF-8": Uint8Array.from({ length: 600 }, (_, index) => 128 + (index % 128)),
  "a byte order mark": Uint8Array.from([0xef, 0xbb, 0xbf, ...Buffer.from('{"detail":"marked"}')]),
  zeros: new Uint8Array(5_000),
};

it.each([
  ["a page", "Bad &"],
  ["a page of 200 kB", "busy"],
  ["XML", "AccessDenied"],
])("shows the text of %s without tags", async (name, text) => {
  const message = await checkInProcess("read", 400, bodies[name], { "content-type": "text/html" });
  expect(message).toContain(text);
  expect(message).not.toContain("<");
});

describe.each(Object.keys(calls) as Call[])("%s", (call) => {
  it.each(Object.keys(bodies))(
    "fails with a typed error of limited size for any status with %s",
    async (name) => {
      expect.hasAssertions();
      // A status that means the same for every call is tested with one of them.
      const some = statuses.filter(
        (status, index) => call === "read" || status === 402 || status === 409 || index % 6 === 0,
      );
      for (const status of some) {
        // Any object may be an account.
        if (status < 300 && isObject(bodies[name])) continue;
        const headers = { "content-type": "application/json" };
        await checkInProcess(call, status, bodies[name], headers);
      }
    },
  );

  it("fails with a typed error of limited size for random bodies", async () => {
    const detail = oneof(
      jsonValue({ maxDepth: 6 }),
      array(
        dictionary(
          constantFrom("loc", "msg", "type", "input", "toString", "__proto__"),
          jsonValue(),
        ),
      ),
      string({ maxLength: 3_000 }),
    );
    const body = oneof(
      uint8Array({ maxLength: 3_000 }),
      string({ unit: "binary", maxLength: 3_000 }),
      detail.map((value) => JSON.stringify(value)),
      detail.map((value) => JSON.stringify({ detail: value })),
      detail.map((value) => JSON.stringify({ detail: value }).slice(0, -5)),
    );
    const type = constantFrom(
      "application/json",
      "text/html",
      "image/png",
      "",
      "application/json; charset=utf-16",
    );
    await assert(
      asyncProperty(
        constantFrom(...statuses.filter((status) => status >= 300)),
        body,
        type,
        async (status, bytes, contentType) => {
          const headers = { "content-type": contentType, "x-request-id": "r".repeat(2_000) };
          await checkInProcess(call, status, bytes, headers);
        },
      ),
      { numRuns: cases(300, 25) },
    );
  });

  it("fails with a typed error if the headers do not match the body", async () => {
    expect.hasAssertions();
    const checkServed = await startServer(call);
    const wrongHeaders: Record<string, string>[] = [
      { "content-encoding": "gzip" },
      { "content-encoding": "br" },
      { "content-length": "100000" },
      { "content-type": "application/json; charset=nonsense" },
    ];
    for (const status of [200, 400, 422, 500, 503]) {
      for (const wrong of wrongHeaders) {
        await checkServed(status, (response) => {
          response.writeHead(status, { "content-type": "application/json", ...wrong });
          response.write('{"detail":"no gzip"}', () => response.destroy());
        });
      }
    }
  });

  it("stops reading an error of 50 MB long before its end", async () => {
    const checkServed = await startServer(call);
    for (const status of [400, 404, 500, 503]) {
      let written = 0;
      let closed: Promise<unknown> = Promise.resolve();
      function* body() {
        yield '{"detail":"';
        const chunk = "ab ".repeat(2 ** 16);
        for (; written < 50 * 2 ** 20; written += chunk.length) yield chunk;
        yield '"}';
      }
      await checkServed(status, (response) => {
        closed = new Promise((resolve) => void response.once("close", resolve));
        response.writeHead(status, { "content-type": "application/json" });
        Readable.from(body()).pipe(response);
      });
      await closed;
      expect(written).toBeLessThan(20 * 2 ** 20);
    }
  });
});

it.each([
  ["a 404", new Response("<title>Shop</title>", { status: 404 })],
  ["a 405", new Response("<h1>No</h1>", { status: 405 })],
  ["a page", new Response("<title>Shop</title>")],
  ["a redirect", new Response(null, { status: 302, headers: { location: "/login" } })],
  ["no response", undefined],
])("of a site that is not the proxy names proxyUrl after %s", async (_what, response) => {
  const tryon = new TryOn({
    proxyUrl: "https://shop.example/api/tryon",
    retries: 0,
    fetch: async () => {
      if (response) return response.clone();
      throw new TypeError("fetch failed");
    },
  });
  for (const call of [calls.read, calls.submit]) {
    const { message } = (await failure(call(tryon))) as Error;
    expect(message).not.toContain("baseUrl");
    expect(message).toMatch(/proxyUrl|recover/);
  }
});
