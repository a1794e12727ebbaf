import { getEventListeners } from "node:events";

import { describe, expect, it } from "vitest";

import { Budget, isTryOnError, type WaitOutcome } from "../index.ts";
import { respondWith, collect, createService, input } from "../../test/service.ts";

/** Saved data of a job that was changed. */
const changed = (id: string, status = "succeeded") => ({
  id,
  data: {
    job_id: id,
    status,
    result_url: "http://127.0.0.1:9/internal.png",
    cost_credits: 0,
    credits_remaining: 1_000_000,
  },
});

describe("jobs.resume", () => {
  it.each(["succeeded", "failed", "running"])(
    "takes status, cost and image URL from one response of the service when saved data says %s",
    async (status) => {
      const { run, tryon, client, sent } = createService();
      const { job } = await run(tryon.run(input));
      const { jobs } = client();
      const resumed = jobs.resume(changed(job.id, status));
      expect(resumed.data).not.toHaveProperty("result_url");
      const before = sent.length;
      const { image, receipt } = await run(resumed.result());
      expect(sent).toHaveLength(before + 1);
      expect(receipt).toMatchObject({ credits: 8, balance: undefined });
      expect(await run(image.url())).toContain("/results/");
      expect((await run(image.bytes())).length).toBeGreaterThan(1_000);
      expect(sent).toHaveLength(before + 2);
      const [outcome] = await run(jobs.waitAll([changed(job.id, status)]));
      expect(sent).toHaveLength(before + 3);
      expect(outcome?.result?.receipt.credits).toBe(8);
      const updates = await run(collect(jobs.resume(changed(job.id, status))));
      expect(updates).toMatchObject([{ status: "succeeded", cost_credits: 8 }]);
      expect(sent.filter(({ url }) => url.startsWith("http://127.0.0.1:9"))).toEqual([]);
    },
  );

  it.each(["running", "succeeded", "failed"])(
    "does not change a budget when saved data says %s",
    async (status) => {
      const budget = new Budget({ maxCredits: 8 });
      const { run, error, client } = createService({ options: { sparseSubmit: false } });
      const tryon = client({ budget });
      const job = await run(tryon.submit(input));
      tryon.jobs.resume(changed(job.id, status));
      expect(budget.toJSON()).toMatchObject({ spent: 8, left: 0 });
      expect(await error(tryon.submit(input))).toMatchObject({ code: "budget_exceeded" });
    },
  );
});

describe("jobs.list", () => {
  it("returns every job once, newest first, with pages of any size", async () => {
    const { run, tryon } = createService();
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.unshift((await run(tryon.submit(input))).id);
    await run(tryon.jobs.resume(ids[0] ?? "").result());
    const listed = await run(tryon.jobs.list({ limit: 2 }).toArray());
    expect(listed.map(({ id }) => id)).toEqual(ids);
    expect(await run(tryon.jobs.list({ limit: 2 }).toArray({ limit: 3 }))).toHaveLength(3);
    const page = await run(tryon.jobs.list({ limit: 2 }).page());
    expect(page.jobs.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const next = await run(tryon.jobs.list({ limit: 2 }).page(page.nextCursor ?? undefined));
    expect(next.jobs.map(({ id }) => id)).toEqual(ids.slice(2, 4));
  });

  it.each(["both", "status_filter", "status"] as const)(
    "filters by status if the service accepts the filter name %s",
    async (filterName) => {
      const { run, tryon } = createService({ options: { filterName } });
      await run(tryon.run({ ...input, prompt: "mock:model_rejected" }).catch(() => undefined));
      const { job } = await run(tryon.run(input));
      const listed = await run(tryon.jobs.list({ status_filter: "succeeded", limit: 1 }).toArray());
      expect(listed.map(({ id }) => id)).toEqual([job.id]);
    },
  );

  it("ends with an empty next_cursor, as with null", async () => {
    const { run, tryon, faults, sent } = createService();
    const job = { status: "succeeded", cost_credits: 8 };
    faults.push(
      respondWith(200, { jobs: [{ ...job, job_id: "job_a" }], next_cursor: "b" }),
      respondWith(200, { jobs: [{ ...job, job_id: "job_b" }], next_cursor: "" }),
    );
    const jobs = await run(tryon.jobs.list().toArray());
    expect(jobs.map(({ id }) => id)).toEqual(["job_a", "job_b"]);
    expect(sent).toHaveLength(2);
    faults.push(respondWith(200, { jobs: [], next_cursor: "" }));
    expect(await run(tryon.jobs.list().page())).toMatchObject({ nextCursor: null });
  });

  it("fails at a repeated cursor", async () => {
    const { error, tryon, faults } = createService();
    for (const next_cursor of ["job_a", "job_b", "job_a"]) {
      faults.push(respondWith(200, { jobs: [], next_cursor }));
    }
    expect(await error(tryon.jobs.list().toArray())).toMatchObject({ code: "unexpected_response" });
  });

  it("sends no request for a limit of 0", async () => {
    const { tryon, sent } = createService();
    expect(await tryon.jobs.list().toArray({ limit: 0 })).toEqual([]);
    expect(sent).toEqual([]);
  });
});

describe("jobs.waitAll", () => {
  it("accepts ids, saved jobs and jobs, and returns their outcomes in order", async () => {
    const { run, tryon, mock } = createService();
    mock.nextJob({ durationMs: 20_000 });
    const slow = await run(tryon.submit(input));
    mock.nextJob({ durationMs: 5_000, outcome: "content_blocked" });
    const blocked = await run(tryon.submit(input));
    const quick = await run(tryon.submit(input));
    const settled: WaitOutcome[] = [];
    const outcomes = await run(
      tryon.jobs.waitAll(
        new Set([slow, blocked.id, JSON.parse(JSON.stringify(quick)), slow.id, quick]),
        { onSettled: (outcome) => settled.push(outcome) },
      ),
    );
    expect(outcomes.map(({ id }) => id)).toEqual(
      [slow, blocked, quick, slow, quick].map(({ id }) => id),
    );
    const [first, second, third, again] = outcomes;
    expect(first?.job).toBe(slow);
    expect(first?.result?.receipt.credits).toBe(8);
    expect(first?.result?.job).toBe(slow);
    expect(again?.job.id).toBe(slow.id);
    expect(second?.result).toBeUndefined();
    expect(isTryOnError(second?.error, "job_failed") && second.error.isContentBlocked).toBe(true);
    expect(third?.result?.job.status).toBe("succeeded");
    expect(settled).toHaveLength(5);
    expect(new Set(settled)).toEqual(new Set(outcomes));
    expect(settled.at(-1)?.id).toBe(slow.id);
  });

  it("returns errors for jobs that exceed the timeout or do not exist", async () => {
    const { run, tryon, mock } = createService();
    const quick = await run(tryon.submit(input));
    mock.nextJob({ outcome: "never" });
    const endless = await run(tryon.submit(input));
    const start = mock.clock.now();
    const [first, second, third] = await run(
      tryon.jobs.waitAll([quick, endless, "job_unknown"], { timeout: "30s" }),
    );
    expect(mock.clock.now() - start).toBeLessThan(31_000);
    expect(first?.result?.job).toBe(quick);
    expect(second?.error).toMatchObject({ code: "wait_timed_out" });
    expect(second?.error?.job).toBe(endless);
    expect(third?.error).toMatchObject({ code: "not_found", job: { id: "job_unknown" } });
  });

  it("rejects with the abort reason or the error of a middleware at once, and leaves no timer and no listener", async () => {
    const { run, error, tryon, client, mock } = createService({ latency: "1h" });
    const jobs = await run(Promise.all([1, 2, 3].map(() => tryon.submit(input))));
    const { pending } = mock.clock;
    const controller = new AbortController();
    const { signal } = controller;
    const wait = tryon.jobs.waitAll(jobs, { signal }).catch((reason: unknown) => reason);
    await mock.clock.advance("20s");
    const before = mock.clock.now();
    controller.abort("enough");
    expect(await wait).toBe("enough");
    expect(mock.clock.now()).toBe(before);
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(mock.clock.pending).toBe(pending);
    expect(await error(tryon.jobs.waitAll([], { signal }))).toBe("enough");
    const thrown = new Error("mine");
    const failing = client({ middleware: () => Promise.reject(thrown) });
    expect(await error(failing.jobs.waitAll(jobs.map(({ id }) => id)))).toBe(thrown);
    expect(mock.clock.pending).toBe(pending);
  });

  it("returns no outcomes for no jobs, without a request", async () => {
    const { run, tryon, sent } = createService();
    expect(await run(tryon.jobs.waitAll([]))).toEqual([]);
    expect(sent).toEqual([]);
  });

  it.each(["order-17", { id: 17 }, null])(
    "rejects %j before it sends a request, and names its index",
    async (wrong) => {
      const { error, tryon, sent } = createService();
      // Programs without types can pass any value.
      const jobs = ["job_1", wrong as string];
      const failed = await error(tryon.jobs.waitAll(jobs));
      if (!isTryOnError(failed, "invalid_input")) throw failed;
      expect(failed.field("jobs.1")?.message).toContain("not the id of a job");
      expect(sent).toEqual([]);
    },
  );

  it("continues if onSettled throws, and logs one warning", async () => {
    const warnings: string[] = [];
    const logger = { warn: (message: string) => void warnings.push(message) };
    const { run, tryon } = createService({}, { logger });
    const jobs = await run(Promise.all([1, 2].map(() => tryon.submit(input))));
    const outcomes = tryon.jobs.waitAll(jobs, {
      onSettled: () => {
        throw new Error("no");
      },
    });
    expect(await run(outcomes)).toHaveLength(2);
    expect(warnings).toEqual(["onSettled threw, which was ignored."]);
  });
});
