import { createMock, optionTable, type MockOptions } from "@tryon/mock";
import { describe, expect, test } from "vitest";

import { jobProbes } from "../../probes/jobs.ts";
import { runContract } from "../../contract.ts";
import type { Report } from "../../report.ts";
import { jobChecks } from "./index.ts";

const ids = [...jobChecks, ...jobProbes].map(({ id }) => id);

function run(options: MockOptions, only: readonly string[] = ids): Promise<Report> {
  const mock = createMock({ clock: "manual", ...options });
  return runContract({ baseUrl: mock.baseUrl, fetch: mock.fetch, level: "full", only });
}

test("tmp", async () => {
  const t = performance.now();
  for (const profile of [
    "default",
    "default",
    "default",
    "default",
    "contrary",
    "contrary",
  ] as const) {
    const report = await run({ profile });
    console.log(performance.now() - t);
    for (const c of report.checks)
      if (!c.id.startsWith("answers")) console.log(c.milliseconds, c.id, c.status, c.message ?? "");
    console.log(
      report.checks.filter((c) => c.status === "broken"),
      report.profile,
    );
  }
}, 100000);
