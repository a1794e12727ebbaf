import { describe, expect, it } from "vitest";

import { createProxyService, mount } from "../../test/proxy-service.ts";
import { assetBytes, fieldsOf, input, personUrl, profiles, shirtUrl } from "../../test/service.ts";

const tryOn = { person_url: personUrl, garment_urls: [shirtUrl], wait: false };

/** Creates a body of unknown length, which can be endless. */
function endless(chunk: Uint8Array<ArrayBuffer>, count = Number.POSITIVE_INFINITY) {
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
  it("is read up to maxBody if it is endless", async () => {
    const { ask, sent } = createProxyService({ maxBody: 1_000_000 });
    const { body, state } = endless(new Uint8Array(64_000));
    const response = await ask("ada", "/api/v1/tryon", {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": "a" },
      body,
    });
    expect(response.status).toBe(413);
    expect(await response.text()).toMatch(/1000000 bytes.*maxBody.*third/);
    expect(state.pulled).toBeLessThan(20);
    expect(state.canceled).toBe(true);
    expect(sent).toEqual([]);
  });

  it.each([
    ["too large", "2000000", 1],
    ["too small", "10", 40],
    ["not a number", "many", 40],
  ])("gets 413 with a Content-Length that is %s", async (_name, length, count) => {
    const { ask, sent } = createProxyService({ maxBody: 1_000_000 });
    const { body, state } = endless(new Uint8Array(64_000), count);
    const response = await ask("ada", "/api/v1/tryon", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "idempotency-key": "a",
        "content-length": length,
      },
      body,
    });
    expect(response.status).toBe(413);
    expect(state.pulled).toBeLessThan(20);
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
    const { ask, sent, reported } = createProxyService();
    const { body, state } = endless(new TextEncoder().encode(piece.repeat(20)));
    const response = await ask("ada", "/api/v1/tryon", {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": "a" },
      body,
    });
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

  it.each<[string, string | Uint8Array<ArrayBuffer> | undefined, Record<string, string>, number]>([
    ["empty", undefined, {}, 422],
    ["not JSON", "person_url=https://a", {}, 422],
    ["a list", "[]", {}, 422],
    ["a string", '"a"', {}, 422],
    ["null", "null", {}, 422],
    ["not UTF-8", Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d), {}, 400],
    ["a form", "a=b", { "content-type": "application/x-www-form-urlencoded" }, 422],
    ["labeled as text", JSON.stringify(tryOn), { "content-type": "text/plain" }, 422],
    ["labeled as JSONP", "{}", { "content-type": "application/jsonp" }, 422],
    ["without a key", JSON.stringify(tryOn), { "idempotency-key": "" }, 400],
    [
      "with a key that is too long",
      JSON.stringify(tryOn),
      { "idempotency-key": "a".repeat(201) },
      400,
    ],
  ])("gets a 4xx if it is %s", async (_name, body, own, status) => {
    const { ask, sent, reported } = createProxyService();
    const headers = { "content-type": "application/json", "idempotency-key": "a", ...own };
    const response = await ask("ada", "/api/v1/tryon", {
      method: "POST",
      headers,
      body: body ?? null,
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toHaveProperty("detail");
    expect([sent, reported]).toEqual([[], []]);
  });

  it("gets 400 if it is incomplete", async () => {
    const { ask, sent } = createProxyService();
    const body = new ReadableStream({
      start: (controller) => controller.error(new Error("the client is gone")),
    });
    const headers = { "content-type": "application/json", "idempotency-key": "a" };
    const response = await ask("ada", "/api/v1/tryon", { method: "POST", headers, body });
    expect(response.status).toBe(400);
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

describe.each(profiles)("a body that the proxy accepts, under the profile %s", (profile) => {
  it("can contain images, have any JSON content type and come in chunks of any size", async () => {
    const { ask, page, run, sent } = createProxyService({}, { profile });
    const person = assetBytes("person.jpg");
    await run(page("ada").submit({ ...input, person }));
    const photo = Buffer.from(person).toString("base64");
    expect(fieldsOf(sent[0])["person_image_b64"]).toBe(photo);
    const text = JSON.stringify({ ...tryOn, prompt: "rot – schön 🧥" });
    const bytes = new TextEncoder().encode(text);
    let at = 0;
    const body = new ReadableStream({
      pull(controller) {
        controller.enqueue(bytes.slice(at, (at += 1)));
        if (at === bytes.length) controller.close();
      },
    });
    const headers = {
      "content-type": 'application/problem+json; charset="utf-8"',
      "idempotency-key": "b",
    };
    const response = await run(ask("ada", "/api/v1/tryon", { method: "POST", headers, body }));
    expect(response.status).toBe(200);
    expect(fieldsOf(sent[1])["prompt"]).toBe("rot – schön 🧥");
  });
});

describe("a client that closes the request", () => {
  it("cancels a poll of the service, but not a submission", async () => {
    const signals: AbortSignal[] = [];
    let responses = 1;
    const { page, run, mock, proxy, reported } = createProxyService({
      fetch: (url, init) => {
        const { signal } = init;
        if (responses > 0) {
          responses -= 1;
          return mock.fetch(url, init);
        }
        if (signal) signals.push(signal);
        return new Promise((_resolve, reject) => {
          signal?.addEventListener("abort", () => reject(signal.reason as Error));
        });
      },
    });
    const { id } = await run(page("ada").submit(input));
    for (const [method, path, isCanceled] of [
      ["GET", `/api/v1/tryon/${id}`, true],
      ["POST", "/api/v1/tryon", false],
    ] as const) {
      const controller = new AbortController();
      const headers = {
        cookie: "user=ada",
        "content-type": "application/json",
        "idempotency-key": "a",
      };
      const body = method === "POST" ? JSON.stringify({ ...tryOn, prompt: "red" }) : null;
      const { signal } = controller;
      const response = proxy(new Request(`${mount}${path}`, { method, headers, body, signal }));
      await expect.poll(() => signals.length).toBe(1);
      controller.abort();
      await expect.poll(() => signals[0]?.aborted).toBe(isCanceled);
      await mock.clock.advance("5m");
      expect(signals.pop()?.aborted).toBe(true);
      expect((await response).status).toBe(isCanceled ? 499 : 504);
      expect(reported).toHaveLength(isCanceled ? 0 : 1);
    }
  });
});
