import { expect, test } from "vitest";

import { otherServer } from "../../test/served.ts";
import { recordExchange } from "../record/exchange-recorder.ts";
import { Masker } from "../record/mask.ts";
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

test("equal parts of a large text share memory", async () => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of LargeText.repeat("x", 64 * length).stream()) chunks.push(chunk);
  const buffers = new Set(chunks.map(({ buffer }) => buffer));
  const bytes = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
  expect(chunks.reduce((sum, chunk) => sum + chunk.length, 0)).toBe(64 * length);
  expect(bytes).toBeLessThan(length / 8);
});

test("a large text is recorded as the same text, and each of its parts is read once", () => {
  const large = writeJson(fieldsOf(LargeText.repeat("QUJD", length)));
  const runs = large instanceof LargeText ? [...large.runs()] : [];
  expect(runs.length).toBeLessThan(10);
  const response = { request: { method: "POST", url: "", headers: {}, body: undefined } };
  const masker = new Masker({});
  const recordOf = (body: string | LargeText) => {
    const request = { method: "POST", path: "/", body };
    const received = { ...response, status: 200, headers: new Headers(), text: "", json: null };
    const exchange = {
      request,
      response: { ...received, bytes: new Uint8Array() },
      at: 1,
      until: 2,
    };
    return recordExchange(masker, "http://localhost", exchange);
  };
  expect(recordOf(large)).toEqual(recordOf(JSON.stringify(fieldsOf("QUJD".repeat(length)))));
});
