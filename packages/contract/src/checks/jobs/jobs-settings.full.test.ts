import { createMock, optionTable, type Mock, type MockOptions } from "@tryon/mock";
import { describe, expect, test } from "vitest";

import { runContract } from "../../contract.ts";
import { jobProbes } from "../../probes/jobs.ts";
import type { Report } from "../../report.ts";
import { jobMutants } from "../../../test/mutants/jobs/index.ts";
import { jobChecks } from "./index.ts";

const ids = [...jobChecks, ...jobProbes].map(({ id }) => id);

function run(mock: Mock, fetch = mock.fetch, only: readonly string[] = ids): Promise<Report> {
  return runContract({ baseUrl: mock.baseUrl, fetch, level: "full", only });
}

function server(options: MockOptions = {}): Mock {
  return createMock({ clock: "manual", ...options });
}

/** The checks of this part with a status; answers that the part does not cause are none of its own. */
function withStatus(report: Report, wanted: "failed" | "not-observable"): readonly string[] {
  return report.checks
    .filter(({ id, status }) => status === wanted && (wanted === "failed" || ids.includes(id)))
    .map(({ id }) => id);
}

/** What cannot be seen where a proxy cuts held calls short. */
const cutShort = ["sync.limit", "sync.limit.message"];

describe("a reference server", () => {
  test.each([
    ["as it is by default", {}, []],
    ["as alternate as can be", { profile: "alternate" }, cutShort],
    ["that runs two jobs at a time", { concurrency: 2 }, []],
    ["that runs two jobs and shows a queue", { profile: "alternate", concurrency: 2 }, cutShort],
    ["whose model takes no time", { latency: 0 }, []],
    ["whose model takes long", { latency: "20s" }, []],
  ] as const)("%s keeps everything", async (_name, options, skipped) => {
    const report = await run(server(options));
    expect(withStatus(report, "failed")).toEqual([]);
    expect(withStatus(report, "not-observable")).toEqual(skipped);
  });

  const mixtures = [1, 2, 3].map((turn) =>
    Object.fromEntries(
      optionTable.map(({ id, values }, index) => [
        id,
        values[(turn * (index + 1)) % values.length],
      ]),
    ),
  );
  test.each(mixtures)("with a mixture of options keeps everything (%#)", async (options) => {
    const report = await run(server({ options }));
    expect(withStatus(report, "failed")).toEqual([]);
    expect(report.profile.options).toEqual(
      Object.fromEntries(
        jobProbes
          .filter(({ option }) => option !== "reportQueued")
          .map(({ option }) => [option, options[option]]),
      ),
    );
  });
});

describe("a probe", () => {
  const cases = jobProbes.flatMap(({ id, option }) => {
    const values = optionTable.find((row) => row.id === option)?.values ?? [];
    return values.map((value) => [id, option, value] as const);
  });
  test.each(cases)("%s sees %s = %s", async (id, option, value) => {
    const mock = server({ options: { [option]: value }, concurrency: 2 });
    const { profile, checks } = await run(mock, mock.fetch, [id]);
    expect(profile.options).toEqual({ [option]: value });
    expect(checks.filter(({ status }) => status === "failed")).toEqual([]);
  });

  test("does not say how a queue is shown where there is none", async () => {
    const mock = server({ options: { reportQueued: true } });
    const { profile } = await run(mock, mock.fetch, ["observed.reportQueued"]);
    expect(profile.unknown).toContain("reportQueued");
  });
});

describe("deviations", () => {
  test.each(jobMutants.map((deviation) => [deviation.name, deviation] as const))(
    "a deployment that %s is found",
    async (_name, { plant, expected }) => {
      const mock = server();
      expect(withStatus(await run(mock, plant(mock), expected), "failed")).toEqual(expected);
    },
  );

  test("are known for every check", () => {
    const found = new Set(jobMutants.flatMap(({ expected }) => expected));
    expect(jobChecks.map(({ id }) => id).filter((id) => !found.has(id))).toEqual([]);
  });
});
