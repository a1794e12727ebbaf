import { getEventListeners } from "node:events";

import { describe, expect, it } from "vitest";

import { isTryOnError, type WaitOutcome } from "../index.ts";
import { createService, input, profiles } from "../../test/service.ts";

describe.each(profiles)("waitAll under the profile %s", (profile) => {
  it("takes ids, saved jobs and jobs, and gives how each ended, in that order", async () => {
    const { run, tryon, mock } = createService({ profile });
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
    expect(settled.toSorted((one, other) => one.id.localeCompare(other.id))).toEqual(
      [...new Set(outcomes)].toSorted((one, other) => one.id.localeCompare(other.id)),
    );
    expect(settled.at(-1)).toBe(first);
  });

  it("gives those that have not ended in time, and those that nobody knows, as errors", async () => {
    const { run, tryon, mock } = createService({ profile });
    const quick = await run(tryon.submit(input));
    mock.nextJob({ outcome: "never" });
    const endless = await run(tryon.submit(input));
    const start = mock.clock.now();
    const [first, second, third] = await run(
      tryon.jobs.waitAll([quick, endless, "job_nobody"], { timeout: "30s" }),
    );
    expect(mock.clock.now() - start).toBeLessThan(31_000);
    expect(first?.result?.job).toBe(quick);
    expect(second?.error).toMatchObject({ code: "wait_timed_out" });
    expect(second?.error?.job).toBe(endless);
    expect(third?.error).toMatchObject({ code: "not_found", job: { id: "job_nobody" } });
  });
});

describe("waitAll", () => {
  it("rejects with the reason as soon as it is aborted, and leaves nothing", async () => {
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

  it("gives nothing for nothing, without a request", async () => {
    const { run, tryon, sent } = createService();
    expect(await run(tryon.jobs.waitAll([]))).toEqual([]);
    expect(sent).toEqual([]);
  });

  it.each([
    ["a text that is no id", "order-17"],
    ["what is no job", { id: 17 }],
    ["nothing", null],
  ])("refuses %s before anything is sent, and says which it is", async (_what, wrong) => {
    const { error, tryon, sent } = createService();
    // What types would stop.
    const jobs = ["job_1", wrong as string];
    const failed = await error(tryon.jobs.waitAll(jobs));
    if (!isTryOnError(failed, "invalid_input")) throw failed;
    expect(failed.field("jobs.1")?.message).toContain("not the id of a job");
    expect(sent).toEqual([]);
  });

  it("goes on when onSettled throws, and tells the logger once", async () => {
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

  it("asks once for a saved job that has ended, and fetches its image from the URL of that response", async () => {
    const { run, tryon, sent, client } = createService();
    const { job } = await run(tryon.run(input));
    const saved = JSON.parse(JSON.stringify(job));
    const before = sent.length;
    const later = client();
    const [outcome] = await run(later.jobs.waitAll([saved]));
    const result = await run(later.jobs.resume(saved).result());
    expect(sent).toHaveLength(before + 2);
    expect(outcome?.result?.receipt.credits).toBe(8);
    expect((await run(result.image.bytes())).length).toBeGreaterThan(1_000);
    expect(sent).toHaveLength(before + 3);
  });

  it("rejects with what a middleware throws, and leaves nobody waiting", async () => {
    const thrown = new Error("mine");
    let broken = false;
    const { run, error, tryon, mock } = createService(
      { latency: "1h" },
      {
        middleware: (request, next) => {
          if (broken) throw thrown;
          return next(request);
        },
      },
    );
    const jobs = await run(Promise.all([1, 2, 3].map(() => tryon.submit(input))));
    const { pending } = mock.clock;
    broken = true;
    expect(await error(tryon.jobs.waitAll(jobs))).toBe(thrown);
    expect(mock.clock.pending).toBe(pending);
  });
});
