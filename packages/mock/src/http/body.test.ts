import { describe, expect, onTestFinished, test, vi } from "vitest";

import { createMock } from "../mock.ts";
import { caller, tryOn } from "../../test/caller.ts";
import { covers } from "../../test/covers.ts";
import { streamed } from "../../test/streamed.ts";

const json = { "content-type": "application/json" };
const live = { ...json, authorization: "Bearer svc_live_mock" };
const path = "/api/v1/tryon";
const bound = 64 * 1_024 * 1_024;

function nested(depth: number): string {
  return `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`;
}

function named(count: number): string {
  return `{${Array.from({ length: count }, (_unused, index) => `"n${index}":0`).join(",")}}`;
}

const malformed: readonly (readonly [string, BodyInit | null, Record<string, string>, string])[] = [
  ["nothing", null, json, "missing"],
  ["an empty text", "", json, "missing"],
  ["half an object", '{"person_url":', json, "json_invalid"],
  ["two objects", "{}{}", json, "json_invalid"],
  ["a trailing comma", '{"a":1,}', json, "json_invalid"],
  ["a list", "[]", json, "model_attributes_type"],
  ["null", "null", json, "model_attributes_type"],
  ["a text", '"text"', json, "model_attributes_type"],
  ["a number", "5", json, "model_attributes_type"],
  ["bytes that are no UTF-8", Uint8Array.of(0x22, 0xff, 0x22), json, "json_invalid"],
  ["JSON that is said to be text", "{}", { "content-type": "text/plain" }, "model_attributes_type"],
  ["JSON that is said to be nothing", new TextEncoder().encode("{}"), {}, "model_attributes_type"],
  [
    "a form",
    "person_url=a",
    { "content-type": "application/x-www-form-urlencoded" },
    "model_attributes_type",
  ],
  ["JSON in words alone", "{}", { "content-type": "application/jsonish" }, "model_attributes_type"],
];

/** A body of so many zeroes, made while it is read. */
function zeroes(length: number): ReadableStream<Uint8Array> {
  const piece = new Uint8Array(1_024 * 1_024);
  let left = length;
  return new ReadableStream({
    pull(controller) {
      if (left <= 0) controller.close();
      else controller.enqueue(piece.subarray(0, left));
      left -= piece.length;
    },
  });
}

describe("a body that is no JSON object", () => {
  test.each(malformed)("is refused with 422: %s", async (_what, body, headers, type) => {
    covers(
      "endpoints.json",
      "endpoints.post.content-type",
      "submit.validation.400-or-422",
      "validation-error.detail.array",
    );
    const mock = createMock({ clock: "manual" });
    for (const address of [path, "/api/v1/credits/purchase"]) {
      const refused = await caller(mock).call(address, { method: "POST", headers, body });
      expect(refused.status).toBe(422);
      expect(refused.problems).toMatchObject([{ loc: ["body"], type }]);
    }
  });

  test.each(malformed)(
    "is refused with 400 where the server says so: %s",
    async (_what, body, headers) => {
      covers("endpoints.json", "endpoints.post.content-type", "submit.validation.400-or-422");
      const mock = createMock({ clock: "manual", options: { malformedBody: 400 } });
      const refused = await caller(mock).call(path, { method: "POST", headers, body });
      expect(refused.status).toBe(400);
      expect(refused.detail).toContain("JSON object");
    },
  );

  test("leaves what is wrong with single fields at 422 wherever it is itself", async () => {
    covers("submit.validation.400-or-422");
    const mock = createMock({ clock: "manual", options: { malformedBody: 400 } });
    expect((await caller(mock).submit({ seed: -1 })).status).toBe(422);
  });
});

describe("a body that is one", () => {
  test.each([
    "application/json",
    "application/json; charset=utf-8",
    "Application/JSON ;charset=UTF-8",
    "application/vnd.api+json",
  ])("is taken as %s", async (type) => {
    covers("endpoints.json", "endpoints.post.content-type");
    const mock = createMock({ clock: "manual" });
    const answer = await caller(mock).call(path, {
      method: "POST",
      headers: { "content-type": type },
      body: JSON.stringify(tryOn()),
    });
    expect(answer.status).toBe(200);
  });

  test("may come in pieces that cut characters in two", async () => {
    const mock = createMock({ clock: "manual" });
    const bytes = new TextEncoder().encode(JSON.stringify(tryOn({ metadata: { name: "Zoë 👗" } })));
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const response = await mock.fetch(`${mock.baseUrl}${path}`, streamed(body, live));
    expect(await response.json()).toMatchObject({ metadata: { name: "Zoë 👗" } });
  });

  test("may be 200 deep and have 10,000 property names", async () => {
    const call = caller(createMock({ clock: "manual" }));
    const deep: unknown = JSON.parse(nested(198));
    expect((await call.submit({ deep })).status).toBe(200);
    const many: unknown = JSON.parse(named(10_000 - Object.keys(tryOn()).length - 1));
    expect((await call.submit({ many })).status).toBe(200);
  });
});

describe("a body over a limit of JSON", () => {
  test.each([
    ["201 nested arrays and objects", nested(200), "200 nested"],
    ["arrays that never end", "[".repeat(1_000_000), "200 nested"],
    ["10,001 property names", named(10_001), "10000 property names"],
    ["10,001 objects", `[${"{},".repeat(10_000)}{}]`, "10000 arrays and objects"],
    ["10,001 equal property names", `{${'"a":0,'.repeat(10_001)}"b":0}`, "10000 property names"],
  ])("is refused with 400 before it is parsed: %s", async (_what, body, words) => {
    const parse = vi.spyOn(JSON, "parse");
    onTestFinished(() => parse.mockRestore());
    const mock = createMock({ clock: "manual" });
    const call = caller(mock);
    for (const address of [path, "/api/v1/credits/purchase"]) {
      const refused = await call.call(address, { method: "POST", headers: json, body });
      expect([refused.status, refused.detail]).toEqual([400, expect.stringContaining(words)]);
    }
    const reset = await mock.fetch(`${mock.baseUrl}/__mock/reset`, { method: "POST", body });
    expect([reset.status, await reset.text()]).toEqual([400, expect.stringContaining(words)]);
    expect(parse.mock.calls.filter(([text]) => text === body)).toEqual([]);
  });
});

describe("a body that breaks off", () => {
  test("breaks the call off with its own error, and charges nothing", async () => {
    const mock = createMock({ clock: "manual" });
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.error(new Error("cable cut"));
      },
    });
    await expect(mock.fetch(`${mock.baseUrl}${path}`, streamed(body, live))).rejects.toThrow(
      "could not be read",
    );
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(1_000);
  });

  test("does not keep time from moving when it stalls", async () => {
    const mock = createMock({ clock: "manual" });
    const stalled = new ReadableStream<Uint8Array>();
    const abort = new AbortController();
    const call = mock.fetch(`${mock.baseUrl}${path}`, {
      ...streamed(stalled, live),
      signal: abort.signal,
    });
    const start = mock.clock.now();
    expect(await mock.clock.advance("30s")).toBe(start + 30_000);
    abort.abort(new Error("idle"));
    await expect(call).rejects.toThrow("idle");
  });
});

describe("a body over 64 MiB", () => {
  test("is refused when somebody keeps a copy of the request, which he may never read", async () => {
    const mock = createMock({ clock: "manual" });
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(bound + 1)),
    });
    const init: RequestInit & { duplex: "half" } = {
      method: "POST",
      headers: live,
      body,
      duplex: "half",
    };
    const request = new Request(mock.baseUrl + path, init);
    // Reading a copy waits with its end for the other copy: msw makes one of each request.
    const answer = await mock.fetch(request.clone());
    expect(answer.status).toBe(400);
    expect(request.bodyUsed).toBe(false);
  });

  test.each([
    [400, "application/json"],
    [413, "text/html; charset=utf-8"],
  ] as const)("is refused with %i as %s", async (oversize, type) => {
    covers("submit.body.largest");
    const mock = createMock({ clock: "manual", options: { oversize } });
    const answer = await mock.fetch(`${mock.baseUrl}${path}`, {
      method: "POST",
      headers: { ...live, "content-length": String(bound + 1) },
      body: "{}",
    });
    expect(answer.status).toBe(oversize);
    expect(answer.headers.get("content-type")).toBe(type);
    expect(await answer.text()).toContain(oversize === 400 ? "64 MiB" : "<html>");
  });

  test("is not read to its end, whatever length was announced", async () => {
    covers("submit.body.largest");
    const mock = createMock({ clock: "manual" });
    const sent = streamed(zeroes(bound + 1), { ...live, "content-length": "5" });
    const answer = await mock.fetch(`${mock.baseUrl}${path}`, sent);
    expect(answer.status).toBe(400);
  });
});
