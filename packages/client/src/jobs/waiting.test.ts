import { describe, expect, it } from "vitest";

import type { Job } from "../index.ts";
import { respondWith, createService, input, profiles } from "../../test/service.ts";

describe.each(profiles)("a wait under the profile %s", (profile) => {
  it("sends nothing more once it has ended, however it did", async () => {
    const { run, error, tryon, sent, mock } = createService({ profile, latency: "30s" });
    const controller = new AbortController();
    await run(tryon.run(input, { sync: false }));
    await error(tryon.run(input, { sync: false, timeout: "5s" }));
    const aborted = error(tryon.run(input, { sync: false, signal: controller.signal }));
    await mock.clock.advance("5s");
    controller.abort();
    await aborted;
    const before = sent.length;
    await mock.clock.advance("5m");
    expect(sent).toHaveLength(before);
    expect(mock.clock.pending).toBe(0);
  });

  it("rejects when it is aborted, and the job runs on", async () => {
    const { run, error, tryon, mock } = createService({ profile, latency: "30s" });
    const job = await run(tryon.submit(input));
    const controller = new AbortController();
    const reason = new Error("enough");
    const wait = error(job.result({ signal: controller.signal }));
    await mock.clock.advance("5s");
    controller.abort(reason);
    expect(await wait).toBe(reason);
    expect(job.status).toBe("running");
    expect((await run(job.result())).job).toBe(job);
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
  });

  it("gives a job that can be returned from async code without being awaited", async () => {
    const { run, tryon } = createService({ profile, latency: "30s" });
    const submitted = async (): Promise<Job> => tryon.submit(input);
    const job = await run(submitted());
    expect(job.status).toBe("running");
    expect(await Promise.resolve(job)).toBe(job);
  });

  it.each(["all", "429-only", "none"] as const)(
    "is not lost to a rate limit whose headers are sent on: %s",
    async (rateHeaders) => {
      const { run, client, mock } = createService({ profile, options: { rateHeaders } });
      const limited = client({ apiKey: mock.keys.limited });
      const jobs: Job[] = [];
      for (let count = 0; count < 4; count += 1) jobs.push(await run(limited.submit(input)));
      for (const job of jobs) expect((await run(job.result())).job.status).toBe("succeeded");
    },
  );
});

describe("times", () => {
  it.each([
    "2026-01-01T00:00:00Z",
    "2026-01-01T00:00:00+00:00",
    "2026-01-01T00:00:00",
    "2026-01-01T00:00:00.123456",
    "",
    17,
    null,
  ])("such as %s are shown as they came, and end no wait", async (time) => {
    const { run, tryon, faults } = createService();
    const job = await run(tryon.submit(input));
    const known = { job_id: job.id, cost_credits: 8, created_at: time, completed_at: time };
    faults.push(
      respondWith(200, { ...known, status: "running" }),
      respondWith(200, { ...known, status: "succeeded" }),
    );
    const result = await run(job.result());
    expect(result.job.data).toMatchObject({ created_at: time, completed_at: time });
    faults.push(respondWith(200, { jobs: [{ ...known, status: "succeeded" }], next_cursor: null }));
    expect((await run(tryon.jobs.list().toArray())).map(({ id }) => id)).toEqual([job.id]);
  });
});
