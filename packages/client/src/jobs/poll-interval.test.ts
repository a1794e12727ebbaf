import { describe, expect, it, onTestFinished, vi } from "vitest";

import { isTryOnError, type Job, type TryOn, type TryOnOptions } from "../index.ts";
import { createProxyService } from "../../test/proxy-service.ts";
import { collect, createService, input, type TestService } from "../../test/service.ts";

/** A service whose reads show a job at once, and whose headers state a rate limit that delays no poll. */
const createReference = (latency: string | number) =>
  // Durations of the mock have the same form.
  createService({
    latency: latency as number,
    options: { readLag: 0, rateHeaders: "all", resetUnit: "epoch" },
  });

/** Returns the delays before each of the first polls of a job. */
async function delaysOf(
  { run, mock, sent }: Pick<TestService, "run" | "mock"> & { sent: readonly { at: number }[] },
  job: Job,
  wait: (job: Job) => Promise<unknown> = (waited) => waited.result(),
): Promise<number[]> {
  let last = mock.clock.now();
  const before = sent.length;
  await run(wait(job));
  return sent.slice(before).map(({ at }) => {
    const delay = at - last;
    last = at;
    return delay;
  });
}

describe('pollInterval: "auto"', () => {
  it("has the same times for a reference server as for the service", async () => {
    const service = createReference(0);
    const { mock, run } = service;
    const tryon = service.client({ fetch: mock.fetch });
    const job = await run(tryon.submit(input));
    const start = mock.clock.now();
    await run(job.result());
    expect(mock.clock.now() - start).toBe(7_080);
    const proxied = createProxyService({}, {}, createReference(0));
    const other = await proxied.run(proxied.page("ada").submit(input));
    const submittedAt = proxied.mock.clock.now();
    await proxied.run(other.result());
    expect(proxied.mock.clock.now() - submittedAt).toBeGreaterThan(5_000);
  });

  it("is replaced by TRYON_POLL_INTERVAL, but not an interval in the options", async () => {
    vi.stubEnv("TRYON_POLL_INTERVAL", "100ms");
    onTestFinished(() => void vi.unstubAllEnvs());
    const service = createReference("1s");
    const { run } = service;
    const delays = await delaysOf(service, await run(service.client().submit(input)));
    expect(delays).toEqual(Array.from({ length: 10 }, () => 100));
    const slower = service.client({ pollInterval: "500ms" });
    expect(await delaysOf(service, await run(slower.submit(input)))).toEqual([500, 500]);
    vi.stubEnv("TRYON_POLL_INTERVAL", "soon");
    expect(() => service.client()).toThrow(/^pollInterval must be "auto"/);
  });
});

describe("a fixed pollInterval", () => {
  /** Ways to wait for a job with options. */
  type Wait = (
    tryon: TryOn,
    job: Job,
    pollInterval?: TryOnOptions["pollInterval"],
  ) => Promise<unknown>;
  const waits: [string, Wait][] = [
    ["result", (_tryon, job, pollInterval) => job.result({ pollInterval })],
    ["updates", (_tryon, job, pollInterval) => collect(job.updates({ pollInterval }))],
    ["waitAll", ({ jobs }, job, pollInterval) => jobs.waitAll([job], { pollInterval })],
  ];

  it.each(waits)("is the time between all polls of %s", async (_name, wait) => {
    const service = createReference("20s");
    const { run } = service;
    const tryon = service.client({ pollInterval: "3s" });
    const polls = async (interval?: TryOnOptions["pollInterval"]) =>
      delaysOf(service, await run(tryon.submit(input)), (job) => wait(tryon, job, interval));
    expect(await polls()).toEqual(Array.from({ length: 7 }, () => 3_000));
    // The option of the call takes precedence.
    expect(await polls(500)).toEqual(Array.from({ length: 40 }, () => 500));
    expect((await polls("auto")).length).toBeGreaterThan(7);
  });

  it("applies to run", async () => {
    const service = createReference("20s");
    await service.run(service.tryon.run(input, { sync: false, pollInterval: "4s" }));
    expect(service.times()).toEqual([0, 4_000, 8_000, 12_000, 16_000, 20_000]);
  });

  it("is not delayed by a low rate limit that is not exhausted, and waits for one that is", async () => {
    const service = createReference("20s");
    const { token } = await service.mock.createKey({ rateLimitPerMinute: 12 });
    const tryon = service.client({ apiKey: token, pollInterval: "1s" });
    const job = await service.run(tryon.submit(input));
    const delays = await delaysOf(service, job);
    expect(delays.slice(0, 11)).toEqual(Array.from({ length: 11 }, () => 1_000));
    expect(delays[11]).toBeGreaterThan(10_000);
    const statuses = service.mock.journal.entries().map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it("is shared by the waits of many jobs, whose polls read the list", async () => {
    const service = createReference("10s");
    const tryon = service.client({ pollInterval: "2s" });
    const jobs = await Promise.all(Array.from({ length: 20 }, () => tryon.submit(input)));
    const before = service.sent.length;
    await service.run(tryon.jobs.waitAll(jobs));
    expect(service.sent.length - before).toBeLessThan(10);
  });

  it.each([0, 99, 3_600_001, Number.NaN, "50ms", "2h", "soon", "", null, true])(
    "of %j is rejected before anything is sent",
    async (wrong) => {
      const service = createReference(0);
      // Programs without types can pass any value.
      const pollInterval = wrong as number;
      const expected = 'pollInterval must be "auto", or from 100 ms to 1 hour, such as "2s".';
      expect(() => service.client({ pollInterval })).toThrow(expected);
      const job = service.tryon.jobs.resume("job_1");
      const errors = [
        await service.error(service.tryon.run(input, { pollInterval })),
        await service.error(job.result({ pollInterval })),
        await service.error(job.updates({ pollInterval }).next()),
        await service.error(service.tryon.jobs.waitAll([job], { pollInterval })),
      ];
      for (const error of errors) {
        if (!isTryOnError(error, "invalid_input")) throw error;
        expect(error.field("pollInterval")?.message).toBe(expected);
      }
      expect(service.sent).toEqual([]);
    },
  );
});
