import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cases } from "@tryon/test-kit/cases";

import { fromWebRequest } from "../http/message.ts";
import { failureOf, withFaults } from "../../test/with-faults.ts";
import { Journal } from "./journal.ts";

const submitOn = "POST /api/v1/tryon";

const requestTo = (path: string) => fromWebRequest(new Request(`https://a.example${path}`));

describe("the journal", () => {
  test("records requests and their responses, oldest first", async () => {
    const { mock, submit, submitted, get } = withFaults();
    const key = { "idempotency-key": "order-1" };
    const jobId = await submitted({}, key);
    await mock.clock.advance("1s");
    await get("/api/v1/tryon?limit=5");
    await submit({}, key);
    const at = Date.UTC(2026, 0, 1);
    const common = { apiKey: "svc_live_…mock", status: 200, durationMs: 0, faultIds: [] };
    const submission = { fields: { wait: false }, instruction: expect.stringContaining("person") };
    const post = { ...common, method: "POST", path: "/api/v1/tryon", query: "", jobId, submission };
    expect(mock.journal.entries()).toMatchObject([
      { ...post, at, idempotencyKey: "order-1", replayed: false },
      {
        ...common,
        at: at + 1_000,
        method: "GET",
        path: "/api/v1/tryon",
        query: "limit=5",
        idempotencyKey: null,
        jobId: null,
        submission: null,
      },
      { ...post, replayed: true },
    ]);
    expect(mock.journal.dropped).toBe(0);
  });

  test("has the instruction of the engine, and the known fields without images", async () => {
    const { mock, submit } = withFaults();
    const fields = { prompt: "sleeves rolled up", negative_prompt: "hats", output_size: "2K" };
    await submit({ ...fields, person_image_b64: "A".repeat(400), other: "x" });
    const [entry] = mock.journal.entries();
    expect(entry?.submission?.fields).toEqual({
      ...fields,
      person_url: expect.stringContaining("https://"),
      person_image_b64: "<400 characters>",
      garment_urls: [expect.stringContaining("https://")],
      wait: false,
    });
    expect(entry?.submission?.instruction).toMatch(/\nsleeves rolled up\nAvoid: hats$/);
  });

  test("records rejected, unauthorized and unknown requests", async () => {
    const { mock, submit } = withFaults();
    await submit({ garment_urls: [] });
    await submit({ wait: "maybe" });
    await mock.fetch(`${mock.baseUrl}/nowhere`);
    expect(mock.journal.entries()).toMatchObject([
      { status: 400, jobId: null, submission: { fields: { garment_urls: [] } } },
      { status: 422, submission: null },
      { status: 404, method: "GET", path: "/nowhere", apiKey: null },
    ]);
  });

  test("has requests in progress, and later their duration, even if the date is set back", async () => {
    const { mock, submit } = withFaults();
    const response = submit({ wait: true });
    const [arrived] = await mock.journal.waitFor(submitOn, { until: "arrived" });
    mock.clock.set(mock.clock.now() - 3_600_000);
    await mock.clock.advance("2s");
    await response;
    expect(mock.journal.entries()).toMatchObject([{ status: 200, durationMs: 1_500 }]);
    expect(arrived).toMatchObject({ status: null, durationMs: null });
  });

  test("keeps `journalLimit` entries and counts those that it drops", async () => {
    const { mock, get } = withFaults({ journalLimit: 3 });
    for (let call = 0; call < 10; call += 1) {
      await get(`/?${call}`);
      expect(mock.journal.dropped).toBe(Math.max(0, call - 2));
      expect(mock.journal.entries()).toHaveLength(Math.min(3, call + 1));
    }
    expect(mock.journal.entries().map(({ query }) => query)).toEqual(["7", "8", "9"]);
  });

  test("restores its entries and their number, without the end of earlier requests", async () => {
    const journal = new Journal({ now: () => 5, monotonic: () => 5 }, 2);
    const requests = ["/1", "/2", "/3"].map(requestTo);
    const response = { status: 200, headers: {}, body: null };
    for (const request of requests) journal.begin(request);
    const end = (): void => requests.forEach((request) => journal.end(request, response));
    const state = journal.snapshot();
    const entries = [{ path: "/2" }, { path: "/3", status: null }];
    expect(state).toMatchObject({ dropped: 1, entries });
    journal.reset();
    end();
    expect([journal.entries(), journal.dropped]).toEqual([[], 0]);
    const waiting = journal.waitFor("GET /3", { until: "arrived" });
    journal.restore(state);
    end();
    expect(await waiting).toMatchObject([{ path: "/3" }]);
    expect(journal.snapshot()).toEqual(state);
    journal.begin(requestTo("/4"));
    expect(journal.dropped).toBe(2);
    expect(state).toMatchObject({ dropped: 1, entries });
  });
});

test("subscribe calls the function for each completed request, until it ends", async () => {
  const { mock, submit, account } = withFaults();
  const seen: unknown[] = [];
  const end = mock.journal.subscribe(({ id, path, status, durationMs }) =>
    seen.push([id, path, status, durationMs]),
  );
  const response = submit({ wait: true });
  await mock.journal.waitFor(submitOn, { until: "arrived" });
  await account();
  await mock.clock.advance("2s");
  await response;
  end();
  await account();
  expect(seen).toEqual([
    ["req_2", "/api/v1/account", 200, 0],
    ["req_1", "/api/v1/tryon", 200, 1_500],
  ]);
});

describe("waitFor", () => {
  test("counts earlier and later requests", async () => {
    const { mock, submit, account } = withFaults();
    await submit();
    expect(await mock.journal.waitFor(submitOn)).toHaveLength(1);
    const two = mock.journal.waitFor(submitOn, { count: 2 });
    await account();
    await submit({ seed: 9 });
    expect((await two).map(({ submission }) => submission?.fields["seed"])).toEqual([undefined, 9]);
  });

  test("rejects after the timeout with the other requests, nearest first", async () => {
    const { mock, submit, account, get } = withFaults();
    await account();
    await account();
    await get("/api/v1/tryon");
    mock.faults.add({ on: "POST *", times: 1, reset: "before" });
    await failureOf(mock.fetch(`${mock.baseUrl}/api/v1/credits/purchase`, { method: "POST" }));
    const response = submit({ wait: true, prompt: "mock:never" });
    await expect(mock.journal.waitFor(submitOn, { count: 2, timeout: 20 })).rejects.toThrow(
      [
        "0 of 2 requests of POST /api/v1/tryon completed within 20 ms. Other requests:",
        "POST /api/v1/tryon, in progress, key svc_live_…mock",
        "GET /api/v1/tryon, 200, key svc_live_…mock",
        "POST /api/v1/credits/purchase, connection broken, no key",
        "GET /api/v1/account, 200, key svc_live_…mock (2 times)",
      ].join("\n  "),
    );
    mock.close();
    await expect(response).rejects.toThrow("has been closed");
  });

  test("lists at most five kinds of other requests, or says that there are none", async () => {
    const { mock, get } = withFaults();
    const wait = () => mock.journal.waitFor(submitOn, { timeout: 5 });
    const none = "0 of 1 requests of POST /api/v1/tryon completed within 5 ms. No other request";
    await expect(wait()).rejects.toThrow(none);
    for (let call = 0; call < 8; call += 1) await get(`/${call}`);
    await expect(wait()).rejects.toThrow("… and 3 other kinds of requests");
  });

  test("rejects invalid patterns", async () => {
    const { journal } = withFaults().mock;
    await expect(journal.waitFor("tryon")).rejects.toThrow("is not a method and a path");
    await expect(journal.waitFor("webhook")).rejects.toThrow(TypeError);
  });

  test("rejects when the server is closed", async () => {
    const { mock } = withFaults();
    const failed = mock.journal.waitFor(submitOn).catch(String);
    mock.close();
    expect(await failed).toContain("has been closed");
  });
});

describe("secrets and images", () => {
  const key = fc.stringMatching(/^[0-9A-Za-z]{24}$/).map((rest) => `svc_live_${rest}`);
  const image = fc
    .uint8Array({ minLength: 60, maxLength: 400 })
    .map((bytes) => Buffer.from(bytes).toString("base64"));
  const places: readonly ((image: string, key: string) => object)[] = [
    (text) => ({ person_image_b64: text }),
    (text) => ({ garment_images_b64: [text] }),
    (text) => ({ garment_images_b64: [text, text, text, text] }),
    (text) => ({ person_url: `data:image/png;base64,${text}` }),
    (text) => ({ items: [`data:image/png;base64,${text}`] }),
    (text, token) => ({ image: text, api_key: token }),
    (text, token) => ({ prompt: `${token} data:image/png;base64,${text}` }),
    (_text, token) => ({ metadata: { a: { [token]: [token] } } }),
    (_text, token) => ({ webhook_url: `https://a.example/?k=${token}` }),
  ];

  test("are not in the journal, wherever they are sent", async () => {
    await fc.assert(
      fc.asyncProperty(image, key, fc.constantFrom(...places), async (text, token, place) => {
        const { mock, submit, get } = withFaults();
        await mock.createKey({ token });
        await submit(
          { ...place(text, token) },
          { authorization: `Bearer ${token}`, "idempotency-key": `for ${token}` },
        );
        await get(`/api/v1/tryon/${token}?api_key=${token}`);
        const details = [1, 2].map(async (id) => (await get(`/__mock/requests/req_${id}`)).text());
        const written = [
          JSON.stringify(mock.journal.entries()),
          ...(await Promise.all(details)),
        ].join();
        expect(mock.journal.entries()).toHaveLength(2);
        expect(written).not.toContain(text.slice(0, 40));
        expect(written).not.toContain(token);
        expect(written).not.toContain(token.slice(9, 21));
        expect(written).toContain(`svc_live_…${token.slice(-4)}`);
      }),
      { numRuns: cases(200) },
    );
  });

  test("are not in the error of a wait", async () => {
    const { mock, get } = withFaults();
    const { token } = await mock.createKey();
    await mock.fetch(`${mock.baseUrl}/${token}`, { headers: { authorization: `Bearer ${token}` } });
    await mock.fetch(mock.baseUrl, { headers: { authorization: "Basic c2VjcmV0OnNlY3JldA==" } });
    await get("/");
    const error = await mock.journal.waitFor(submitOn, { timeout: 5 }).catch(String);
    expect(error).toContain(`key svc_live_…${token.slice(-4)}`);
    expect(error).not.toContain(token);
    expect(error).not.toContain("c2VjcmV0");
  });
});
