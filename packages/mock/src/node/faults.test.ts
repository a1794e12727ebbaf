import { expect, test } from "vitest";

import { served } from "../../test/served.ts";

async function setUp() {
  const { open, ...calls } = await served();
  const exchange = async (path: string) => {
    const connection = open(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
    return { text: await connection.closed, error: connection.error() };
  };
  return { ...calls, exchange };
}

test("a reset sends no byte, and resets the connection instead of closing it", async () => {
  const { mock, exchange } = await setUp();
  mock.faults.add({ on: "* *", reset: "before" });
  expect(await exchange("/api/discovery")).toEqual({ text: "", error: "ECONNRESET" });
});

test.each([0, 1, 40])("a body truncated at %d is shorter than announced", async (truncateAt) => {
  const { mock, exchange } = await setUp();
  mock.faults.add({ on: "GET /api/discovery", truncateAt });
  const { text, error } = await exchange("/api/discovery");
  const [head = "", body = ""] = text.split("\r\n\r\n");
  expect(head).toMatch(/^HTTP\/1.1 200 OK\r\n/);
  expect(Number(/content-length: (\d+)/i.exec(head)?.[1])).toBeGreaterThan(40);
  expect(body).toHaveLength(truncateAt);
  expect(error).toBeUndefined();
});

test("a truncated image keeps its first bytes", async () => {
  const { mock, submitted, resultOf, exchange } = await setUp();
  const id = await submitted();
  await mock.clock.advance("2s");
  const { pathname, search } = await resultOf(id);
  mock.faults.add({ on: "GET /results/*", truncateAt: 1_000 });
  const { text } = await exchange(`${pathname}${search}`);
  const [, body = ""] = text.split(/\r\n\r\n([^]*)/);
  expect(body).toHaveLength(1_000);
  expect(body.startsWith("\u0089PNG")).toBe(true);
});
