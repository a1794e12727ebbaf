import { describe, expect, it } from "vitest";

import { createProxyService, jsonHeaders, mount, tryOn } from "../../test/proxy-service.ts";
import { assetBytes, fieldsOf, input } from "../../test/service.ts";

const wrongType = {
  loc: ["header", "content-type"],
  type: "content_type",
  msg: "The content type must be application/json.",
};
const wrongJson = {
  loc: ["body"],
  type: "json_invalid",
  msg: "The body must be a JSON object in UTF-8.",
};
const wrongKey = expect.stringContaining("Idempotency-Key must have 1 to 200") as unknown;
const typed = (type: string) => ({ "content-type": type });

describe("a body that the proxy rejects", () => {
  it("gets 413 and is read only up to maxBody, with any Content-Length", async () => {
    const { post, sent } = createProxyService({ maxBody: 1_000_000 });
    const state = { pulled: 0, canceled: false };
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        state.pulled += 1;
        controller.enqueue(new Uint8Array(64_000));
      },
      cancel() {
        state.canceled = true;
      },
    });
    const response = await post("ada", endless, { "content-length": "10" });
    expect(response.status).toBe(413);
    expect(await response.text()).toMatch(/1000000 bytes.*maxBody.*third/);
    expect(state).toEqual({ pulled: expect.closeTo(16, -1) as unknown, canceled: true });
    expect(sent).toEqual([]);
  });

  it("is larger than 15,000,000 bytes by default, and throws payload_too_large in the client", async () => {
    const { page, error, sent } = createProxyService();
    const person = new Blob([assetBytes("person.jpg"), new Uint8Array(10_000_000)]);
    const garment = new Blob([assetBytes("shirt.png"), new Uint8Array(1_500_000)]);
    const thrown = await error(page("ada").submit({ person, garments: [garment] }));
    expect(thrown).toMatchObject({ code: "payload_too_large" });
    expect(String(thrown)).toContain("15000000");
    expect(sent).toEqual([]);
  });

  it.each([",", "[", "{", ":"])("has over 2,000 of what is costly to parse: %s", async (piece) => {
    const { post, sent, reported } = createProxyService();
    const respondTo = async (count: number) => {
      const response = await post("ada", piece.repeat(count));
      return { status: response.status, text: await response.text() };
    };
    expect(await respondTo(2_000)).toMatchObject({ status: 422 });
    const { status, text } = await respondTo(2_001);
    expect([status, text]).toEqual([400, expect.stringContaining("more than 2000 commas")]);
    expect([sent, reported]).toEqual([[], []]);
  });

  it.each<[string, unknown, Record<string, string>, number, unknown]>([
    ["empty", undefined, {}, 422, [wrongJson]],
    ["not JSON", "person_url=https://a", {}, 422, [wrongJson]],
    ["cut off", "{", {}, 422, [wrongJson]],
    ["a list", "[]", {}, 422, [wrongJson]],
    ["a string", '"a"', {}, 422, [wrongJson]],
    ["null", "null", {}, 422, [wrongJson]],
    ["not UTF-8", Uint8Array.of(0x7b, 0xff), {}, 422, [wrongJson]],
    ["not UTF-8 at the end", Uint8Array.of(0x7b, 0xc3), {}, 422, [wrongJson]],
    ["a form", "a=b", typed("application/x-www-form-urlencoded"), 422, [wrongType]],
    ["labeled as text", tryOn, typed("text/plain;application/json"), 422, [wrongType]],
    ["labeled as JSONP", "{}", typed("application/jsonp"), 422, [wrongType]],
    ["of a longer type", "{}", typed("application/json/x"), 422, [wrongType]],
    ["of a type without a name", "{}", typed("application/+json"), 422, [wrongType]],
    ["without a key", tryOn, { "idempotency-key": "" }, 400, wrongKey],
    ["with a key that is too long", tryOn, { "idempotency-key": "a".repeat(201) }, 400, wrongKey],
  ])("gets a 4xx if it is %s", async (_name, body, headers, status, detail) => {
    const { post, sent, reported } = createProxyService();
    const response = await post("ada", body, headers);
    expect([response.status, await response.json()]).toEqual([status, { detail }]);
    expect([sent, reported]).toEqual([[], []]);
  });

  it.each<[number, string, object]>([
    [413, "larger than the server", { status: 413 }],
    [413, "larger than the server", { statusCode: 413 }],
    [400, "could not be read: the client is gone", {}],
  ])("gets %i if it ends with an error, and onError gets the error: %s", async (...row) => {
    const [status, text, fields] = row;
    const { post, sent, reported } = createProxyService();
    const cause = Object.assign(new Error("the client is gone"), fields);
    const broken = new ReadableStream({ start: (controller) => controller.error(cause) });
    const response = await post("ada", broken);
    expect([response.status, await response.text()]).toEqual([
      status,
      expect.stringContaining(text),
    ]);
    expect(reported).toMatchObject([
      { message: expect.stringContaining("body limit of your framework") as unknown, cause },
    ]);
    expect(sent).toEqual([]);
  });

  it("gets 500 if authorize has read it, and onError gets the fix", async () => {
    const { post, sent, reported } = createProxyService({
      authorize: async (request) => {
        await request.json();
        return { id: "ada" };
      },
    });
    expect((await post("ada", tryOn)).status).toBe(500);
    expect(String(reported[0]?.cause)).toContain("clone()");
    expect(sent).toEqual([]);
  });
});

it("accepts images of any size up to maxBody", async () => {
  const { page, run, sent } = createProxyService();
  const person = assetBytes("person.jpg");
  await run(page("ada").submit({ ...input, person }));
  expect(fieldsOf(sent[0])["person_image_b64"]).toBe(Buffer.from(person).toString("base64"));
  const body = JSON.stringify(tryOn);
  for (const [maxBody, status] of [
    [body.length, 200],
    [body.length - 1, 413],
  ] as const) {
    const service = createProxyService({ maxBody });
    expect((await service.run(service.post("ada", body))).status).toBe(status);
  }
});

it.each([
  'application/problem+json; charset="utf-8"',
  "application/vnd.api-1.x+json",
  "APPLICATION/JSON  ; charset=utf-8",
])("accepts %s in chunks of any size, with any characters", async (type) => {
  const { post, run, sent } = createProxyService();
  const prompt = `rot – schön 🧥 ${'\\"{[:,'.repeat(100)}`;
  const bytes = new TextEncoder().encode(JSON.stringify({ ...tryOn, prompt }));
  let at = 0;
  const body = new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes.slice(at, (at += 1)));
      if (at === bytes.length) controller.close();
    },
  });
  expect((await run(post("ada", body, typed(type)))).status).toBe(200);
  expect(fieldsOf(sent[0])["prompt"]).toBe(prompt);
});

it("cancels a poll of the service if the client closes the request, but not a submission", async () => {
  const signals: AbortSignal[] = [];
  let responses = 1;
  const { page, run, mock, proxy, reported } = createProxyService({
    fetch: (url, init) => {
      const { signal } = init;
      responses -= 1;
      if (responses >= 0) return mock.fetch(url, init);
      if (signal) signals.push(signal);
      return new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason as Error));
      });
    },
  });
  const { id } = await run(page("ada").submit(input));
  const headers = { ...jsonHeaders, cookie: "user=ada" };
  const submission = { method: "POST", body: JSON.stringify({ ...tryOn, prompt: "red" }) };
  for (const [path, init, isCanceled] of [
    [`/api/v1/tryon/${id}`, {}, true],
    ["/api/v1/tryon", submission, false],
  ] as const) {
    const controller = new AbortController();
    const { signal } = controller;
    const responding = proxy(new Request(`${mount}${path}`, { ...init, headers, signal }));
    await expect.poll(() => signals.length).toBe(1);
    controller.abort();
    await expect.poll(() => signals[0]?.aborted).toBe(isCanceled);
    await mock.clock.advance("5m");
    expect(signals.pop()?.aborted).toBe(true);
    expect((await responding).status).toBe(isCanceled ? 499 : 504);
    expect(reported).toHaveLength(isCanceled ? 0 : 1);
  }
});
