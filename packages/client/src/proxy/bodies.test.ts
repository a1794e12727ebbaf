import { describe, expect, it } from "vitest";

import { createProxyService, jsonHeaders, mount, tryOn } from "../../test/proxy-service.ts";
import { assetBytes, fieldsOf, input } from "../../test/service.ts";

/** Creates a body of unknown length, which can be endless. */
function chunked(chunk: Uint8Array<ArrayBuffer>, count = Number.POSITIVE_INFINITY) {
  const state = { pulled: 0, canceled: false };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      state.pulled += 1;
      if (state.pulled > count) controller.close();
      else controller.enqueue(chunk);
    },
    cancel() {
      state.canceled = true;
    },
  });
  return { body, state };
}

describe("a body that the proxy rejects", () => {
  it.each([
    ["an endless body", {}, Number.POSITIVE_INFINITY],
    ["a Content-Length that is too large", { "content-length": "2000000" }, 1],
    ["a Content-Length that is too small", { "content-length": "10" }, 40],
    ["a Content-Length that is not a number", { "content-length": "many" }, 40],
  ])("gets 413 and is read up to maxBody with %s", async (_name, headers, count) => {
    const { post, sent } = createProxyService({ maxBody: 1_000_000 });
    const { body, state } = chunked(new Uint8Array(64_000), count);
    const response = await post("ada", body, headers);
    expect(response.status).toBe(413);
    expect(await response.text()).toMatch(/1000000 bytes.*maxBody.*third/);
    expect(state.pulled).toBeLessThan(20);
    expect(state.canceled).toBe(count !== 1);
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

  it.each([
    ["property names", '"a":1,', "more than 256 property names"],
    ["list items", "[1,{}],", "more than 256 list items"],
    ["levels", '"a":{', "a depth of more than 8"],
  ])("is not read to its end if it has too many %s", async (_name, piece, limit) => {
    const { post, sent, reported } = createProxyService();
    const { body, state } = chunked(new TextEncoder().encode(piece.repeat(20)));
    const response = await post("ada", body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ detail: expect.stringContaining(limit) as unknown });
    expect(state.pulled).toBeLessThan(40);
    expect([sent, reported]).toEqual([[], []]);
  });

  it("can have 256 names and 8 levels, with any characters in its strings", async () => {
    const { post, run, sent } = createProxyService({
      fields: ["person_url", "garment_urls", "prompt", "metadata"],
    });
    const prompt = '\\"{[:,'.repeat(100);
    const deep = JSON.parse(`${'{"a":'.repeat(5)}[]${"}".repeat(5)}`) as unknown;
    const metadata = { ":{[": prompt.slice(0, 200), deep };
    await run(post("ada", { ...tryOn, prompt, metadata }));
    expect(fieldsOf(sent[0])).toMatchObject({ prompt, metadata });
    expect((await post("ada", { metadata: { metadata } })).status).toBe(400);
    const names = Object.fromEntries(Array.from({ length: 256 }, (_, index) => [`a${index}`, 1]));
    expect((await post("ada", names)).status).toBe(422);
    expect((await post("ada", { ...names, a256: 1 })).status).toBe(400);
  });

  const broken = new ReadableStream({
    start: (controller) => controller.error(new Error("the client is gone")),
  });
  it.each<[string, unknown, Record<string, string>, number]>([
    ["empty", undefined, {}, 422],
    ["not JSON", "person_url=https://a", {}, 422],
    ["a list", "[]", {}, 422],
    ["a string", '"a"', {}, 422],
    ["null", "null", {}, 422],
    ["not UTF-8", Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d), {}, 400],
    ["a form", "a=b", { "content-type": "application/x-www-form-urlencoded" }, 422],
    ["labeled as text", tryOn, { "content-type": "text/plain" }, 422],
    ["labeled as JSONP", "{}", { "content-type": "application/jsonp" }, 422],
    ["without a key", tryOn, { "idempotency-key": "" }, 400],
    ["with a key that is too long", tryOn, { "idempotency-key": "a".repeat(201) }, 400],
    ["incomplete", broken, {}, 400],
  ])("gets a 4xx if it is %s", async (_name, body, headers, status) => {
    const { post, sent, reported } = createProxyService();
    const response = await post("ada", body, headers);
    expect(response.status).toBe(status);
    expect(await response.json()).toHaveProperty("detail");
    expect([sent, reported]).toEqual([[], []]);
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

it("accepts images, any JSON content type and chunks of any size", async () => {
  const { post, page, run, sent } = createProxyService();
  const person = assetBytes("person.jpg");
  await run(page("ada").submit({ ...input, person }));
  expect(fieldsOf(sent[0])["person_image_b64"]).toBe(Buffer.from(person).toString("base64"));
  const prompt = "rot – schön 🧥";
  const bytes = new TextEncoder().encode(JSON.stringify({ ...tryOn, prompt }));
  let at = 0;
  const body = new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes.slice(at, (at += 1)));
      if (at === bytes.length) controller.close();
    },
  });
  const type = 'application/problem+json; charset="utf-8"';
  const own = { "content-type": type, "idempotency-key": "b" };
  expect((await run(post("ada", body, own))).status).toBe(200);
  expect(fieldsOf(sent[1])["prompt"]).toBe(prompt);
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
