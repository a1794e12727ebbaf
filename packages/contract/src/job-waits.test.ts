import { createMock, type Mock, type MockOptions } from "@tryon/mock";
import { describe, expect, test } from "vitest";

import { failures } from "../test/run-checks.ts";
import { realTimeOf, withoutControl } from "../test/served.ts";
import { runSuite, wholeSuite } from "./contract.ts";
import type { Report } from "./report.ts";

const only = ["submit-response.", "job.", "poll.", "states.", "list.", "result.", "privacy."];
const probes = ["observed.timeFormat", "observed.filterName", "observed.resultsOrigin"];

/** Runs checks against a server without the control API, on its clock. The kit takes that for real time. */
async function runInRealTime(
  options: MockOptions,
  more: { readonly only?: readonly string[]; readonly onSubmit?: (mock: Mock) => void } = {},
): Promise<{ report: Report; mock: Mock; minutes: number }> {
  const mock = createMock({ clock: "manual", ...options });
  const from = mock.clock.now();
  const fetch = withoutControl(async (input, init) => {
    const isSubmit = init?.method === "POST" && new Request(input).url.endsWith("/api/v1/tryon");
    if (isSubmit) more.onSubmit?.(mock);
    const response = mock.fetch(input, init);
    // Time passes while a synchronous request waits.
    const state = { isOpen: typeof init?.body === "string" && init.body.includes('"wait":true') };
    const end = (): void => void (state.isOpen = false);
    response.then(end, end);
    while (state.isOpen) await mock.clock.advance(1_000);
    return response;
  });
  const report = await runSuite(
    wholeSuite,
    {
      baseUrl: mock.baseUrl,
      fetch,
      apiKey: mock.keys.test,
      only: more.only ?? [...only, ...probes],
    },
    realTimeOf(mock),
  );
  mock.close();
  return { report, mock, minutes: (mock.clock.now() - from) / 60_000 };
}

function runningPolls(mock: Mock): readonly number[] {
  const polled = new Map<string, number>();
  for (const { method, path } of mock.journal.entries()) {
    if (method === "GET" && path.startsWith("/api/v1/tryon/")) {
      polled.set(path, (polled.get(path) ?? 0) + 1);
    }
  }
  return [...polled.values()].filter((count) => count > 10);
}

describe("where time is real", () => {
  test("checks of the same job share it, its polls and its cost", async () => {
    const { report, mock } = await runInRealTime(
      { latency: "40s" },
      { only: ["job.result-content-type", "job.duration-ms", "job.created-at", "result.png"] },
    );
    expect(failures(report)).toBe("");
    const run = report.checks.filter(({ status }) => status === "passed");
    expect(run.length).toBeGreaterThanOrEqual(5);
    expect(mock.journal.entries({ method: "POST" })).toHaveLength(1);
    expect(runningPolls(mock)).toEqual([21]);
  });

  test("a deployment whose jobs take 40 s passes in the time of few jobs", async () => {
    const { report, mock, minutes } = await runInRealTime({ latency: "40s" });
    expect(failures(report)).toBe("");
    expect(report.profile.options).toEqual({
      timeFormat: "Z",
      filterName: "both",
      resultsOrigin: "same",
    });
    expect(runningPolls(mock).length).toBeLessThanOrEqual(9);
    expect(minutes).toBeLessThan(10);
  });

  test("a deployment whose jobs never end gets the maximum time once", async () => {
    const { report, minutes } = await runInRealTime(
      {},
      { onSubmit: (mock) => mock.nextJob({ outcome: "never" }) },
    );
    const late = report.checks.filter(({ message }) => message?.includes("180 s until job_"));
    expect(late.length).toBeGreaterThan(5);
    // All failed checks share one job, and the kit waits only a little for further ones.
    expect(new Set(late.map(({ message }) => message)).size).toBe(1);
    for (const { status } of late) expect(status).toBe("failed");
    const cut = report.checks.find(({ id }) => id === "job.seed");
    expect(cut).toMatchObject({
      status: "not-observable",
      message: expect.stringMatching(
        /^A job had not ended after 15 s, and job_\w+ before it not after 180 s\.$/,
      ),
    });
    expect(minutes).toBeLessThan(10);
  });

  test("a job that ends restores the maximum time for later ones", async () => {
    let made = 0;
    const onSubmit = (mock: Mock): void => {
      made += 1;
      const durationMs = made === 2 ? 5_000 : 100_000;
      mock.nextJob(made === 1 ? { outcome: "never" } : { outcome: "succeeded", durationMs });
    };
    const own = ["job.seed", "list.as-polled", "job.result-content-type"];
    const { checks } = (await runInRealTime({}, { only: own, onSubmit })).report;
    const of = (id: string) => checks.find((check) => check.id === id)?.status;
    expect([of("job.result-content-type"), of("job.seed"), of("list.as-polled")]).toEqual([
      "failed",
      "passed",
      "passed",
    ]);
  });
});
