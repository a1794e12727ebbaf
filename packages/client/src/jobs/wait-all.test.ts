import { getEventListeners } from "node:events";

import { describe, expect, it } from "vitest";

import { isTryOnError, type WaitOutcome } from "../index.ts";
import { createService, input } from "../../test/service.ts";

describe("waitAll", () => {
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
    expect(again).toBe(first);
    expect(second?.result).toBeUndefined();
    expect(isTryOnError(second?.error, "job_failed") && second.error.isContentBlocked).toBe(true);
    expect(third?.result?.job.status).toBe("succeeded");
    expect(settled).toHaveLength(3);
    expect(new Set(settled)).toEqual(new Set(outcomes));
    expect(settled.at(-1)).toBe(first);
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

  it("rejects with the reason at once when it is aborted, and leaves no timer and no listener", async () => {
    const { run, error, tryon, mock } = createService({ latency: "1h" });
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
  });

  it("rejects with the error of a middleware, and leaves no timer", async () => {
    const thrown = new Error("mine");
    const { run, error, tryon, client, mock } = createService({ latency: "1h" });
    const jobs = await run(Promise.all([1, 2, 3].map(() => tryon.submit(input))));
    const { pending } = mock.clock;
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
