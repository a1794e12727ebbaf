import { describe, expect, test } from "vitest";

import { createMock } from "../mock.ts";
import { failureOf, withFaults } from "../../test/with-faults.ts";

const submitOn = "POST /api/v1/tryon";

describe("the journal", () => {
  test("notes what came and how it was answered, oldest first", async () => {
    const { mock, submit, get } = withFaults();
    const answer = await submit({ wait: false }, { "idempotency-key": "order-1" });
    // The contract's answer to a submission has a job_id.
    const { job_id } = (await answer.json()) as { job_id: string };
    await mock.clock.advance("1s");
    await get("/api/v1/tryon?limit=5");
    await submit({ wait: false }, { "idempotency-key": "order-1" });
    const start = Date.UTC(2026, 0, 1);
    const common = { apiKey: "svc_live_…mock", status: 200, durationMs: 0, faultIds: [] };
    const submission = { fields: { wait: false }, instruction: expect.stringContaining("person") };
    expect(mock.journal.entries()).toMatchObject([
      {
        ...common,
        at: start,
        method: "POST",
        path: "/api/v1/tryon",
        query: "",
        idempotencyKey: "order-1",
        jobId: job_id,
        replayed: false,
        submission,
      },
      {
        ...common,
        at: start + 1_000,
        method: "GET",
        path: "/api/v1/tryon",
        query: "limit=5",
        idempotencyKey: null,
        jobId: null,
        submission: null,
      },
      { ...common, method: "POST", jobId: job_id, replayed: true, submission },
    ]);
    expect(mock.journal.dropped).toBe(0);
  });

  test("has the instruction that the engine gets and the fields but for the images", async () => {
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

  test("notes refused, unauthorised and unknown calls", async () => {
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

  test("shows a call that is under way, and its end", async () => {
    const { mock, submit } = withFaults();
    const held = submit({ wait: true });
    const [arrived] = await mock.journal.waitFor(submitOn, { until: "arrived" });
    expect(arrived).toMatchObject({ status: null, durationMs: null });
    await mock.clock.advance("2s");
    await held;
    expect(mock.journal.entries()).toMatchObject([{ status: 200, durationMs: 1_500 }]);
    expect(arrived).toMatchObject({ status: null, durationMs: null });
  });

  test("finds entries by method, path, key and time", async () => {
    const { mock, submit, get } = withFaults();
    await submit();
    await mock.clock.advance("10s");
    const since = mock.clock.now();
    await get("/api/v1/tryon/job_unknown");
    await mock.fetch(`${mock.baseUrl}/api/v1/account`, {
      headers: { authorization: `Bearer ${mock.keys.test}` },
    });
    const { journal } = mock;
    const paths = (filter: Parameters<typeof journal.entries>[0]): string[] =>
      journal.entries(filter).map(({ path }) => path);
    expect(paths({ method: "POST" })).toEqual(["/api/v1/tryon"]);
    expect(paths({ path: "/api/v1/tryon/*" })).toEqual(["/api/v1/tryon/job_unknown"]);
    expect(paths({ apiKey: mock.keys.test })).toEqual(["/api/v1/account"]);
    expect(paths({ apiKey: "svc_test_…mock" })).toEqual(["/api/v1/account"]);
    expect(paths({ since })).toHaveLength(2);
    expect(paths({ since: since + 1 })).toEqual([]);
    expect(() => paths({ path: "tryon" })).toThrow(RangeError);
  });

  test("keeps as many entries as it is set to and says how many it dropped", async () => {
    const { mock, get } = withFaults({ journalLimit: 3 });
    for (let call = 0; call < 10; call += 1) {
      await get(`/?${call}`);
      expect(mock.journal.dropped).toBe(Math.max(0, call - 2));
      expect(mock.journal.entries()).toHaveLength(Math.min(3, call + 1));
    }
    expect(mock.journal.entries().map(({ query }) => query)).toEqual(["7", "8", "9"]);
    for (const journalLimit of [0, 1.5, -1]) {
      expect(() => createMock({ journalLimit })).toThrow("journalLimit has to be a whole number");
    }
  });
});

describe("waiting for calls", () => {
  test("ends at once when they are there, and else when they have come", async () => {
    const { mock, submit, account } = withFaults();
    await submit();
    expect(await mock.journal.waitFor(submitOn)).toHaveLength(1);
    const two = mock.journal.waitFor(submitOn, { count: 2 });
    await account();
    await submit({ seed: 9 });
    expect((await two).map(({ submission }) => submission?.fields["seed"])).toEqual([undefined, 9]);
  });

  test("works on a real clock as it does on a manual one", async () => {
    const { mock, submit } = withFaults({ clock: "real" });
    const come = mock.journal.waitFor(submitOn);
    await submit();
    expect(await come).toMatchObject([{ status: 200 }]);
    mock.close();
  });

  test("ends with what came instead when the time is up, nearest first", async () => {
    const { mock, submit, account, get } = withFaults();
    await account();
    await account();
    await get("/api/v1/tryon");
    mock.faults.add({ on: "POST *", times: 1, reset: "before" });
    await failureOf(mock.fetch(`${mock.baseUrl}/api/v1/credits/purchase`, { method: "POST" }));
    const held = submit({ wait: true, prompt: "mock:never" });
    await expect(mock.journal.waitFor(submitOn, { count: 2, timeout: 20 })).rejects.toThrow(
      [
        "0 of 2 calls of POST /api/v1/tryon were answered within 20 ms. What came instead:",
        "POST /api/v1/tryon, under way, key svc_live_…mock",
        "GET /api/v1/tryon, 200, key svc_live_…mock",
        "POST /api/v1/credits/purchase, connection broken, no key",
        "GET /api/v1/account, 200, key svc_live_…mock (2 times)",
      ].join("\n  "),
    );
    mock.close();
    await expect(held).rejects.toThrow("has been closed");
  });

  test("says so when nothing came, and lists no more than five kinds of calls", async () => {
    const { mock, get } = withFaults();
    const wait = () => mock.journal.waitFor(submitOn, { timeout: 5 });
    await expect(wait()).rejects.toThrow("0 of 1 calls of POST /api/v1/tryon");
    await expect(wait()).rejects.toThrow("No other call came.");
    for (let call = 0; call < 8; call += 1) await get(`/${call}`);
    await expect(wait()).rejects.toThrow("… and 3 other kinds of calls");
  });

  test("refuses what it cannot wait for", async () => {
    const { journal } = withFaults().mock;
    await expect(journal.waitFor("tryon")).rejects.toThrow("is not a method and a path");
    await expect(journal.waitFor("webhook")).rejects.toThrow(RangeError);
    for (const count of [0, 1.5, Number.NaN]) {
      await expect(journal.waitFor(submitOn, { count })).rejects.toThrow("count has to be");
    }
    await expect(journal.waitFor(submitOn, { timeout: "soon" })).rejects.toThrow(RangeError);
  });

  test("ends when the server is closed", async () => {
    const { mock } = withFaults();
    const waiting = mock.journal.waitFor(submitOn);
    const failed = waiting.catch((error: unknown) => String(error));
    mock.close();
    expect(await failed).toContain("has been closed");
  });
});
