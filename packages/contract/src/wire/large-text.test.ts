import { expect, test } from "vitest";

import { otherServer } from "../../test/served.ts";
import { LargeText, writeJson } from "./large-text.ts";
import { createSend } from "./send.ts";

const length = 2 ** 20 + 1;

const fieldsOf = <Text>(text: Text) => ({ first: "é", text, list: [text, 1], last: null });

test("JSON with large texts is that of the same texts, and is sent with its length", async () => {
  const json = JSON.stringify(fieldsOf("x".repeat(length)));
  const received: unknown[] = [];
  const url = await otherServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const sent = Buffer.concat(chunks).toString();
      received.push(request.headers["content-length"], sent === json);
      response.end();
    });
  });
  const body = writeJson(fieldsOf(LargeText.repeat("x", length)));
  const { request } = await createSend(url)({ method: "POST", path: "/", body });
  expect(received).toEqual([String(Buffer.byteLength(json)), true]);
  expect(request).toMatchObject({ bytes: Buffer.byteLength(json), body: json.slice(0, 4_000) });
  expect(writeJson(fieldsOf("x"))).toBe(JSON.stringify(fieldsOf("x")));
});

test("equal parts of a large text share memory", () => {
  const chunks = [...LargeText.repeat("x", 64 * length).chunks()];
  const buffers = new Set(chunks.map(({ buffer }) => buffer));
  const bytes = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
  expect(chunks.reduce((sum, chunk) => sum + chunk.length, 0)).toBe(64 * length);
  expect(bytes).toBeLessThan(length / 8);
});
