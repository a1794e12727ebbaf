import { describe, expect, onTestFinished, test } from "vitest";

import { createMock } from "../mock.ts";
import { tryOn } from "../../test/caller.ts";
import { rawConnection } from "../../test/raw-connection.ts";
import type { ServerLimits } from "./limits.ts";
import { serve } from "./serve.ts";

const mebibyte = 1024 * 1024;

async function setUp(limits: Partial<ServerLimits> = {}) {
  const mock = createMock({ clock: "manual", seed: "limits" });
  const server = await serve(mock, { limits });
  onTestFinished(() => server.close());
  return { mock, server, open: (text = "") => rawConnection(server.port, text) };
}

function head(line: string, ...headers: readonly string[]): string {
  const all = ["Host: mock", "Authorization: Bearer svc_live_mock", ...headers];
  return `${line} HTTP/1.1\r\n${all.join("\r\n")}\r\n\r\n`;
}

const submission = (...headers: readonly string[]): string =>
  head("POST /api/v1/tryon", "Content-Type: application/json", ...headers);

/** Parses a response of the server. */
function parseResponse(text: string): { status: number; head: string; detail: unknown } {
  const [first = "", body = "{}"] = text.split("\r\n\r\n");
  // Errors of the service are objects with a detail, which tests compare.
  const { detail } = JSON.parse(body) as { detail?: unknown };
  return { status: Number(first.split(" ")[1]), head: first.toLowerCase(), detail };
}

describe("headers", () => {
  test("over the limit get 431, in the form of the service's errors", async () => {
    const { server, open } = await setUp();
    const {
      status,
      head: headers,
      detail,
    } = parseResponse(await open(head("GET /", `X-Long: ${"x".repeat(20_000)}`)).closed);
    expect(status).toBe(431);
    expect(detail).toBe("The headers are over 16384 bytes; send fewer or shorter ones.");
    expect(headers).toMatch(/x-mock: tryon-mock\/.*connection: close/s);
    expect((await fetch(server.url)).status).toBe(200);
  });

  test("get 431 before the client has sent them all", async () => {
    const { open } = await setUp({ headerBytes: 2_048 });
    const connection = open(`GET / HTTP/1.1\r\nX-Long: ${"x".repeat(3_000)}`);
    expect(parseResponse(await connection.closed)).toMatchObject({
      status: 431,
      detail: expect.stringContaining("2048 bytes"),
    });
  });

  test("up to the limit get a response", async () => {
    const { open } = await setUp();
    const connection = open(head("GET /", `X-Long: ${"x".repeat(15_000)}`, "Connection: close"));
    expect(await connection.closed).toMatch(/^HTTP\/1.1 200 /);
  });

  test.each([
    ["text that is not HTTP", "hello\r\n\r\n"],
    ["two lengths", head("POST /", "Content-Length: 1", "Content-Length: 2")],
    ["a length and chunks", head("POST /", "Content-Length: 1", "Transfer-Encoding: chunked")],
    ["a header without a name", head("GET /", ": x")],
  ])("with %s get 400", async (_what, text) => {
    const { server, open } = await setUp();
    expect(parseResponse(await open(text).closed)).toMatchObject({ status: 400, detail: /HTTP/ });
    expect((await fetch(server.url)).status).toBe(200);
  });
});

describe("a slow client", () => {
  test("gets 408 for incomplete headers", async () => {
    const { open } = await setUp({ headersTimeout: 30 });
    const connection = open("GET / HTTP/1.1\r\nHost: mock\r\nX-Slow:");
    expect(parseResponse(await connection.closed)).toMatchObject({
      status: 408,
      detail: expect.stringContaining("30 ms for the headers"),
    });
  });

  test("gets 408 for an empty request", async () => {
    const { open } = await setUp({ headersTimeout: 30 });
    expect(parseResponse(await open().closed).status).toBe(408);
  });

  test("gets 408 for an incomplete body", async () => {
    const { open } = await setUp({ headersTimeout: 30, requestTimeout: 30 });
    const connection = open(`${submission("Content-Length: 500")}{"person_url":`);
    expect(parseResponse(await connection.closed)).toMatchObject({
      status: 408,
      detail: expect.stringContaining("30 ms for all of it"),
    });
  });

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

describe("connections", () => {
  test("over the limit are closed, until others end", async () => {
    const { server, open } = await setUp({ connections: 1 });
    const first = open(head("GET /api/v1/account"));
    await first.until("credits_remaining");
    expect(await open(head("GET /")).closed).toBe("");
    first.socket.end();
    await first.closed;
    await expect.poll(() => statusOf(server.url), { interval: 5 }).toBe(200);
  });
});

describe("a body", () => {
  test("with a length over the limit gets 400 before it is sent", async () => {
    const { open } = await setUp();
    const connection = open(submission(`Content-Length: ${64 * mebibyte + 1}`));
    await connection.until("over 67108864 bytes");
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
    await large.until("over 67108864 bytes");
    expect(large.received()).not.toContain("100 Continue");
  });

  test("without an end is read up to the limit", async () => {
    const { open } = await setUp();
    const connection = open(submission("Transfer-Encoding: chunked"));
    const part = `${mebibyte.toString(16)}\r\n${" ".repeat(mebibyte)}\r\n`;
    let sent = 0;
    while (!connection.socket.closed && sent < 200) {
      sent += 1;
      if (connection.socket.write(part)) continue;
      const drained = new Promise((resolve) => connection.socket.once("drain", resolve));
      await Promise.race([connection.closed, drained]);
    }
    expect(await connection.closed).toContain("over 67108864 bytes");
    expect(sent).toBeGreaterThan(64);
    expect(sent).toBeLessThan(100);
  });

  test.each([
    ["at an unknown URL", "PUT /nowhere", 404],
    ["of a method without a body", "GET /", 200],
  ])("that continues after its response, %s, is ended", async (_what, line, expected) => {
    const { open } = await setUp();
    const connection = open(`${head(line, "Transfer-Encoding: chunked")}5\r\nhello\r\n`);
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
