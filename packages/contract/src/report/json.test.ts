import { expect, test } from "vitest";

import { sampleReport } from "../../test/sample-report.ts";
import { formatReport } from "./index.ts";
import type { JsonReport } from "./json.ts";

// The report was written as this type says.
const report = JSON.parse(formatReport(sampleReport, "json")) as JsonReport;

test("has the documented format, version and fields", () => {
  expect(report).toMatchObject({
    format: "tryon-contract",
    format_version: 1,
    base_url: sampleReport.baseUrl,
    level: "paid",
    duration_ms: 83_210,
    complete: true,
    credits: { planned: 64, max: 50, spent: 44 },
    summary: { passed: 15, failed: 2, not_observable: 5, observed: 22, unknown: 2 },
    profile: sampleReport.profile,
  });
  const fields = "id title rules level status message curl credits duration_ms";
  for (const check of report.checks) expect(Object.keys(check)).toEqual(fields.split(" "));
  const seen = "id option title rules value meaning message deviations";
  for (const one of report.observations) expect(Object.keys(one)).toEqual(seen.split(" "));
});

test("has null for missing values", () => {
  expect(report.checks[0]).toMatchObject({ status: "passed", message: null, curl: null });
  expect(report.observations.find(({ option }) => option === "readLag")).toMatchObject({
    value: null,
    meaning: null,
    message: "This run could not tell.",
  });
  const free = { ...sampleReport, credits: { planned: 0, max: Infinity, spent: 0 } };
  expect(JSON.parse(formatReport(free, "json"))).toMatchObject({ credits: { max: null } });
});
