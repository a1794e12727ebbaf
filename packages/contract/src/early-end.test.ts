import { readFile } from "node:fs/promises";

import { createMock, type Mock } from "@tryon/mock";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";

import { command } from "../test/command.ts";
import { newPath } from "../test/files.ts";
import { patched } from "../test/mutants/mutated-responses.ts";
import { planted } from "../test/mutants/mutant.ts";
import { withoutControl } from "../test/served.ts";
import { aCheck, aProbe, aSuite, breaks, keeps, skips } from "../test/suite.ts";
import { runContract } from "./contract.ts";
import type { JsonReport } from "./report/json.ts";
import { reportForms } from "./report/index.ts";
import type { Suite } from "./run.ts";

const minutes = 60_000;

beforeEach(() => {
  // Timers of the kit. The mock has its own clock.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
});

/** A server without the control API, whose time stands still: its jobs never end. */
function stuck(onPoll: () => void = () => undefined) {
  const mock = createMock({ clock: "manual" });
  const fetch = withoutControl(async (input, init) => {
    if (new Request(input, init).url.includes("/tryon/job_")) onPoll();
    return mock.fetch(input, init);
  });
  return { mock, fetch, baseUrl: mock.baseUrl };
}

async function json(argv: readonly string[], around: Parameters<typeof command>[1]) {
  const file = newPath("report.json");
  const ended = await command([...argv, `--report=json=${file}`], around);
  return { ...ended, report: JSON.parse(await readFile(file, "utf8")) as JsonReport };
}

/** Runs the command against a reference server, and returns also the faults that it has left there. */
async function run(
  suite: Suite,
  flags: readonly string[],
  fetchOf = ({ fetch }: Mock): Mock["fetch"] => fetch,
) {
  const mock = createMock({ clock: "manual" });
  const argv = ["--base-url", mock.baseUrl, ...flags];
  const ended = await json(argv, { suite, fetch: fetchOf(mock) });
  return { ...ended, faults: mock.faults.list() };
}

const tenMinutes = ["--max-time", "10m"];
const later = aProbe("refund", () => Promise.resolve("failed"));
const timesOut = aCheck("sample.slow", async ({ http, keys }) => {
  await keys.addFault({ on: "GET /api/docs", status: 503 });
  vi.advanceTimersByTime(10 * minutes);
  await http.account();
});

describe("--bail", () => {
  test("ends the run after the first failed check with 1, and lists what was not run", async () => {
    const suite = aSuite([keeps, breaks, aCheck("sample.after", keeps.run)], [later]);
    const { code, stdout, stderr, report } = await run(suite, ["--bail"]);
    expect(code).toBe(1);
    const verdict =
      "The run ended early: sample.breaks failed (--bail). The deployment fails 1 check so far.";
    expect(stdout).toContain(verdict);
    expect(report).toMatchObject({
      verdict,
      complete: false,
      ended_early: { cause: "failed-check", not_run: ["sample.after", "observe.refund"] },
      summary: { failed: 1, observed: 0, unknown: 1 },
    });
    expect(report.checks.find(({ id }) => id === "sample.after")).toMatchObject({
      status: "not-observable",
      message: "The run ended before this check.",
    });
    expect(stderr).toContain("passed         sample.keeps");
  });

  test("counts a response that is not as in spec/openapi.json as a failed check", async () => {
    const suite = aSuite([keeps, aCheck("sample.after", keeps.run)]);
    const change = patched("account", { name: 7 });
    const { code, report } = await run(suite, ["--bail"], (mock) => planted(mock, change));
    expect(code).toBe(1);
    expect(report.ended_early).toMatchObject({
      message: "responses.GET /api/v1/account.200 failed (--bail)",
      not_run: ["sample.after"],
    });
  });

  test("does not end a run for a check that is not observable, nor at the last check", async () => {
    const { code, report } = await run(aSuite([skips, keeps, breaks]), ["--bail"]);
    expect(code).toBe(1);
    expect(report).toMatchObject({ complete: true, ended_early: null });
    expect(report.verdict).toBe("The deployment fails 1 check.");
  });
});

describe("--max-time", () => {
  test("ends the run at its limit with 124, without the faults of the check", async () => {
    const suite = aSuite([keeps, timesOut, keeps], [later]);
    const { code, stdout, report, faults } = await run(suite, tenMinutes);
    expect(code).toBe(124);
    expect(stdout).toContain(
      "The run ended early: it took 600 s, its maximum (--max-time). No check has failed so far.",
    );
    expect(report).toMatchObject({
      ended_early: {
        cause: "max-time",
        not_run: ["sample.slow", "sample.keeps", "observe.refund"],
      },
      profile: { options: {} },
    });
    expect(faults).toEqual([]);
  });

  test("ends it with 1 if a check has failed, and never says that the deployment passes", async () => {
    for (const form of reportForms) {
      const suite = aSuite([breaks, timesOut, keeps]);
      const { code, stdout } = await run(suite, [...tenMinutes, "--report", form]);
      expect(code).toBe(1);
      expect(stdout).toContain("ended early: it took 600 s, its maximum (--max-time)");
      expect(stdout).not.toContain("The deployment passes");
    }
  });

  test("has no effect on a run that ends before", async () => {
    const { code, report } = await run(aSuite([keeps]), tenMinutes);
    expect({ code, complete: report.complete }).toEqual({ code: 0, complete: true });
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([
    ["jobs that never end", false],
    ["responses that never come", true],
  ])("ends a run against %s, and reports the credits that it spent", async (_name, hangs) => {
    const { mock, fetch, baseUrl } = stuck(() => vi.advanceTimersByTime(10 * minutes));
    if (hangs) mock.faults.add({ on: "GET /api/v1/tryon/*", latency: "2h" });
    const report = await runContract({
      baseUrl,
      fetch,
      apiKey: mock.keys.live,
      allowLive: true,
      only: ["job.result-content-type", "job.seed", "observed.timeFormat"],
      maxTime: 10 * minutes,
    });
    expect(report.endedEarly).toEqual({
      cause: "max-time",
      message: "it took 600 s, its maximum (--max-time)",
      notRun: ["job.result-content-type", "job.seed", "observed.timeFormat"],
    });
    expect(report.credits).toMatchObject({ max: 50, spent: 8 });
    expect(await mock.ledger(mock.keys.live)).toMatchObject({ balance: 992 });
  });

  test("ends the command before the first check, too", async () => {
    const { mock, fetch, baseUrl } = stuck();
    mock.faults.add({ on: "GET /api/v1/account", latency: "2h" });
    const argv = ["--base-url", baseUrl, "--api-key", mock.keys.test, "--max-time", "5s"];
    const ended = command(argv, { fetch });
    await mock.journal.waitFor("GET /api/v1/account", { until: "arrived" });
    vi.advanceTimersByTime(5_000);
    expect(await ended).toEqual({
      code: 124,
      stdout: "",
      stderr:
        "tryon-contract: The run ended early: it took 5 s, its maximum (--max-time). No check has run.\n",
    });
  });

  test("reports what it has when the deployment no longer responds to the clean-up", async () => {
    const { code, report } = await run(aSuite([keeps, timesOut]), tenMinutes, (mock) => {
      return (input, init) =>
        init?.method === "DELETE"
          ? Promise.reject(new TypeError("the connection broke"))
          : mock.fetch(input, init);
    });
    expect(code).toBe(124);
    expect(report).toMatchObject({
      summary: { failed: 0 },
      ended_early: { not_run: ["sample.slow"] },
    });
  });

  test.each(["0", "-1s", "soon", "30d"])("rejects %s", async (value) => {
    const argv = ["--base-url", "https://a.example", "--api-key=svc_test_a", "--max-time", value];
    const { code, stderr } = await command(argv);
    expect(code).toBe(2);
    expect(stderr).toContain("--max-time");
  });
});
