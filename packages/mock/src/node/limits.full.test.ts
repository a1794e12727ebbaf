import { describe, expect, test } from "vitest";

import { tryOn } from "../../test/caller.ts";
import { served } from "../../test/served.ts";
import type { ServerLimits } from "./limits.ts";

const mebibyte = 1024 * 1024;

const setUp = (limits: Partial<ServerLimits> = {}) => served({ limits });

function head(line: string, ...headers: readonly string[]): string {
  const all = ["Host: mock", "Authorization: Bearer svc_live_mock", ...headers];
  return `${line} HTTP/1.1\r\n${all.join("\r\n")}\r\n\r\n`;
}

const submission = (...headers: readonly string[]): string =>
  head("POST /api/v1/tryon", "Content-Type: application/json", ...headers);

const shortTimeout = { headersTimeout: 30 };

const long = (length: number): string => `X-Long: ${"x".repeat(length)}`;
const chunked = "Transfer-Encoding: chunked";
const cut = "GET / HTTP/1.1\r\nHost: mock\r\nX-Slow:";
const cutBody = `${submission("Content-Length: 500")}{"person_url":`;

test.each<[string, Partial<ServerLimits>, string, number, string]>([
  ["long headers", {}, head("GET /", long(20_000)), 431, "over 16384 bytes; send"],
  ["endless headers", { headerBytes: 2_048 }, `GET / HTTP/1.1\r\n${long(3e3)}`, 431, "2048 bytes"],
  ["text that is not HTTP", {}, "hello\r\n\r\n", 400, "HTTP"],
  ["two lengths", {}, head("POST /", "Content-Length: 1", "Content-Length: 2"), 400, "HTTP"],
  ["a length and chunks", {}, head("POST /", "Content-Length: 1", chunked), 400, "HTTP"],
  ["a header without a name", {}, head("GET /", ": x"), 400, "HTTP"],
  ["incomplete headers", shortTimeout, cut, 408, "30 ms for the headers"],
  ["an empty request", shortTimeout, "", 408, "30 ms for the headers"],
  ["an incomplete body", { requestTimeout: 30 }, cutBody, 408, "30 ms for all of it"],
])(
  "%s has an error of the service and closes the connection",
  async (_name, limits, text, status, detail) => {
    const { server, open } = await setUp(limits);
    const [first = "", body = "{}"] = (await open(text).closed).split("\r\n\r\n");
    expect(first).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(first.toLowerCase()).toMatch(/x-mock: tryon-mock\/.*connection: close/s);
    expect(JSON.parse(body)).toEqual({ detail: expect.stringContaining(detail) });
    // A busy machine can need longer than the time that the server gives a request.
    await expect.poll(() => statusOf(server.url), { interval: 5 }).toBe(200);
  },
);

test("headers up to the limit get a response", async () => {
  const { open } = await setUp();
  const connection = open(head("GET /", long(15_000), "Connection: close"));
  expect(await connection.closed).toMatch(/^HTTP\/1.1 200 /);
});

describe("a slow client", () => {
  test("does not end the synchronous request of another", async () => {
    const { mock, open } = await setUp({ headersTimeout: 30, requestTimeout: 30 });
    const body = JSON.stringify(tryOn({ wait: true }));
    const synchronous = open(`${submission(`Content-Length: ${body.length}`)}${body}`);
    for (let slow = 0; slow < 3; slow += 1) await open("GET /").closed;
    expect(synchronous.received()).toBe("");
    await mock.clock.advance("2s");
    await synchronous.until('"succeeded"');
  });

  test("loses a connection without further requests", async () => {
    const { open } = await setUp({ keepAliveTimeout: 30 });
    const connection = open(head("GET /api/v1/account"));
    const text = await connection.closed;
    expect(text).toMatch(/^HTTP\/1.1 200 /);
    expect(text).toContain("Connection: keep-alive");
  });
});

test("connections over the limit are closed, until others end", async () => {
  const { server, open } = await setUp({ connections: 1 });
  const first = open(head("GET /api/v1/account"));
  await first.until("credits_remaining");
  expect(await open(head("GET /")).closed).toBe("");
  first.socket.end();
  await first.closed;
  await expect.poll(() => statusOf(server.url), { interval: 5 }).toBe(200);
});

describe("a body", () => {
  test("with a length over the limit gets 400 before it is sent", async () => {
    const { open } = await setUp();
    const connection = open(submission(`Content-Length: ${64 * mebibyte + 1}`));
    await connection.until("exceeds the limit of 67108864 bytes");
    expect(connection.received()).toMatch(/^HTTP\/1.1 400 /);
  });

  test("gets 100 Continue, unless it is over the limit", async () => {
    const { open } = await setUp();
    const body = JSON.stringify(tryOn());
    const small = open(submission(`Content-Length: ${body.length}`, "Expect: 100-continue"));
    await small.until("HTTP/1.1 100 Continue");
    small.socket.write(body);
    await small.until("HTTP/1.1 200");
    const large = open(submission(`Content-Length: ${2 ** 40}`, "Expect: 100-continue"));
    await large.until("exceeds the limit of 67108864 bytes");
    expect(large.received()).not.toContain("100 Continue");
  });

  test("without an end is read up to the limit", async () => {
    const { open } = await setUp();
    const connection = open(submission(chunked));
    const part = `${mebibyte.toString(16)}\r\n${" ".repeat(mebibyte)}\r\n`;
    let sent = 0;
    while (!connection.socket.closed && sent < 200) {
      sent += 1;
      if (connection.socket.write(part)) continue;
      const drained = new Promise((resolve) => connection.socket.once("drain", resolve));
      await Promise.race([connection.closed, drained]);
    }
    expect(await connection.closed).toContain("exceeds the limit of 67108864 bytes");
    expect(sent).toBeGreaterThan(64);
    expect(sent).toBeLessThan(100);
  });

  test.each([
    ["at an unknown URL", "PUT /nowhere", 404],
    ["of a method without a body", "GET /", 200],
  ])("that continues after its response, %s, is ended", async (_what, line, expected) => {
    const { open } = await setUp();
    const connection = open(`${head(line, chunked)}5\r\nhello\r\n`);
    expect(await connection.closed).toContain(`HTTP/1.1 ${expected} `);
  });
});

async function statusOf(url: string): Promise<number> {
  try {
    return (await fetch(url)).status;
  } catch {
    return 0;
  }
}
