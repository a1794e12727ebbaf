import { describe, expect, onTestFinished, test, vi } from "vitest";

import { createMock } from "../mock.ts";
import { manualServer, tryOn } from "../../test/caller.ts";
import { collectGarbage } from "../../test/collect-garbage.ts";
import { covers } from "../../test/covers.ts";
import { streamed } from "../../test/streamed.ts";

const json = { "content-type": "application/json" };
const live = { ...json, authorization: "Bearer svc_live_mock" };
const path = "/api/v1/tryon";
const paths = [path, "/api/v1/credits/purchase"];
const maxBytes = 64 * 1_024 * 1_024;
const form = { "content-type": "application/x-www-form-urlencoded" };

test("reads the body of a request in an engine without Request.body", async () => {
  const mock = createMock({ latency: 0 });
  onTestFinished(() => mock.close());
  const request = new Request(`${mock.baseUrl}${path}`, {
    method: "POST",
    headers: live,
    body: JSON.stringify(tryOn()),
  });
  Object.defineProperty(request, "body", { value: undefined });
  expect((await mock.fetch(request)).status).toBeLessThan(300);
});

function nested(depth: number): string {
  return `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`;
}

function named(count: number): string {
  return `{${Array.from({ length: count }, (_unused, index) => `"n${index}":0`).join(",")}}`;
}

const otherTypes: readonly (readonly [string, BodyInit, Record<string, string>])[] = [
  ["JSON as text/plain", "{}", { "content-type": "text/plain" }],
  ["JSON without a type", new TextEncoder().encode("{}"), {}],
  ["a form", "person_url=a", form],
  ["JSON as jsonish", "{}", { "content-type": "application/jsonish" }],
];

const malformed: readonly (readonly [string, BodyInit | null, Record<string, string>, string])[] = [
  ["no body", null, json, "missing"],
  ["an empty text", "", json, "missing"],
  ["half an object", '{"person_url":', json, "json_invalid"],
  ["two objects", "{}{}", json, "json_invalid"],
  ["a trailing comma", '{"a":1,}', json, "json_invalid"],
  ["a list", "[]", json, "model_attributes_type"],
  ["null", "null", json, "model_attributes_type"],
  ["a text", '"text"', json, "model_attributes_type"],
  ["a number", "5", json, "model_attributes_type"],
  ["invalid UTF-8", Uint8Array.of(0x22, 0xff, 0x22), json, "json_invalid"],
];

/** Creates a body of zeros while it is read. */
function zeros(length: number): ReadableStream<Uint8Array> {
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

/** Sends a body as a stream. */
function sendStream(
  body: ReadableStream<Uint8Array>,
  { headers = live, ...init }: { headers?: typeof live; signal?: AbortSignal } = {},
) {
  const mock = createMock({ clock: "manual" });
  const url = `${mock.baseUrl}${path}`;
  return { mock, response: mock.fetch(url, { ...streamed(body, headers), ...init }) };
}

test.each(malformed)(
  "a malformed body gets a 422, or a 400 by option: %s",
  async (_case, body, headers, type) => {
    const { call } = manualServer();
    for (const each of paths) {
      const refused = await call.call(each, { method: "POST", headers, body });
      expect(refused.status).toBe(422);
      expect(refused.problems).toMatchObject([{ loc: ["body"], type }]);
    }
    const other = manualServer({ options: { malformedBody: 400 } }).call;
    const refused = await other.call(path, { method: "POST", headers, body });
    expect(refused.status).toBe(400);
    expect(refused.detail).toContain("JSON object");
    // Invalid fields do not depend on the option.
    expect((await other.submit({ seed: -1 })).status).toBe(422);
  },
);

test.each(otherTypes)(
  "a body of another content type gets a 422, or a 415 by option: %s",
  async (_case, body, headers) => {
    covers("endpoints.content-type.other", "endpoints.post.content-type");
    const { call } = manualServer({ options: { malformedBody: 400 } });
    const other = manualServer({ options: { wrongContentType: 415 } }).call;
    for (const each of paths) {
      const refused = await call.call(each, { method: "POST", headers, body });
      expect(refused.status).toBe(422);
      expect(refused.problems).toMatchObject([{ loc: ["body"], type: "model_attributes_type" }]);
      const unsupported = await other.call(each, { method: "POST", headers, body });
      expect(unsupported.status).toBe(415);
      expect(unsupported.detail).toContain("application/json");
    }
    expect((await other.submit()).status).toBe(200);
    expect((await other.call(path, { method: "POST", headers: json, body: "[]" })).status).toBe(
      422,
    );
  },
);

describe("a valid body", () => {
  test.each([
    "application/json",
    "application/json; charset=utf-8",
    "Application/JSON ;charset=UTF-8",
    "application/vnd.api+json",
  ])("is accepted as %s", async (type) => {
    covers("endpoints.json");
    const headers = { "content-type": type };
    const body = JSON.stringify(tryOn());
    const { call } = manualServer();
    expect((await call.call(path, { method: "POST", headers, body })).status).toBe(200);
  });

  test("can arrive in chunks that split characters", async () => {
    const bytes = new TextEncoder().encode(JSON.stringify(tryOn({ metadata: { name: "Zoë 👗" } })));
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const response = await sendStream(body).response;
    expect(await response.json()).toMatchObject({ metadata: { name: "Zoë 👗" } });
  });

  test("can be 200 deep and have 10,000 property names", async () => {
    const { call } = manualServer();
    const deep: unknown = JSON.parse(nested(198));
    expect((await call.submit({ deep })).status).toBe(200);
    const many: unknown = JSON.parse(named(10_000 - Object.keys(tryOn()).length - 1));
    expect((await call.submit({ many })).status).toBe(200);
  });
});

test.each([
  ["201 nested arrays and objects", nested(200), "200 nested"],
  ["unclosed arrays", "[".repeat(1_000_000), "200 nested"],
  ["10,001 property names", named(10_001), "10000 property names"],
  ["10,001 objects", `[${"{},".repeat(10_000)}{}]`, "10000 arrays and objects"],
  ["10,001 equal property names", `{${'"a":0,'.repeat(10_001)}"b":0}`, "10000 property names"],
])(
  "a body over a limit of JSON gets a 400 without being parsed: %s",
  async (_case, body, limit) => {
    const parse = vi.spyOn(JSON, "parse");
    onTestFinished(() => parse.mockRestore());
    const { mock, call } = manualServer();
    for (const each of paths) {
      const refused = await call.call(each, { method: "POST", headers: json, body });
      expect([refused.status, refused.detail]).toEqual([400, expect.stringContaining(limit)]);
    }
    const reset = await mock.fetch(`${mock.baseUrl}/__mock/reset`, { method: "POST", body });
    expect([reset.status, await reset.text()]).toEqual([400, expect.stringContaining(limit)]);
    expect(parse.mock.calls.filter(([text]) => text === body)).toEqual([]);
  },
);

const respond = async (send: (url: string) => Parameters<typeof fetch>) => {
  const mock = createMock({ clock: "manual", seed: "text" });
  const response = await mock.fetch(...send(`${mock.baseUrl}${path}`));
  const [entry] = mock.journal.entries();
  return [response.status, await response.json(), entry];
};

test.each([
  ["valid", JSON.stringify(tryOn()), live],
  ["without a content type", JSON.stringify(tryOn()), { authorization: live.authorization }],
  ["with half a character", JSON.stringify(tryOn({ prompt: "x" })).replace("x", "\uD800"), live],
  ["that is not JSON", "{", live],
  ["that is empty", "", live],
])(
  "a text %s gets the response of the same request with a stream",
  async (_what, body, headers) => {
    const init = { method: "POST", headers, body };
    expect(await respond((url) => [url, init])).toEqual(
      await respond((url) => [new Request(url, init)]),
    );
    const { mock } = manualServer();
    await expect(mock.fetch(mock.baseUrl, { body })).rejects.toThrow(TypeError);
  },
);

test("a body that stalls does not stop time, and can be aborted after a garbage collection", async () => {
  const abort = new AbortController();
  const { mock, response } = sendStream(new ReadableStream(), { signal: abort.signal });
  const start = mock.clock.now();
  expect(await mock.clock.advance("30s")).toBe(start + 30_000);
  collectGarbage();
  abort.abort(new Error("idle"));
  await expect(response).rejects.toThrow("idle");
});

describe("a body over 64 MiB", () => {
  test("gets a 400 although a copy of the request is never read", async () => {
    const { mock } = manualServer();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(maxBytes + 1)),
    });
    const request = new Request(mock.baseUrl + path, streamed(body, live));
    // A copied body ends only with the other copy: msw copies each request.
    expect((await mock.fetch(request.clone())).status).toBe(400);
    expect(request.bodyUsed).toBe(false);
  });

  test.each([
    [400, "application/json", "64 MiB"],
    [413, "text/html; charset=utf-8", "<html>"],
  ] as const)("gets a %i as %s by its content-length", async (oversize, type, text) => {
    covers("submit.body.largest");
    const { mock } = manualServer({ options: { oversize } });
    const response = await mock.fetch(`${mock.baseUrl}${path}`, {
      method: "POST",
      headers: { ...live, "content-length": String(maxBytes + 1) },
      body: "{}",
    });
    expect(response.status).toBe(oversize);
    expect(response.headers.get("content-type")).toBe(type);
    expect(await response.text()).toContain(text);
  });

  test("gets a 400 whatever its content-length is", async () => {
    const headers = { ...live, "content-length": "5" };
    expect((await sendStream(zeros(maxBytes + 1), { headers }).response).status).toBe(400);
  });
});
