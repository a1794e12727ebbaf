import { createMock, type Mock, type MockOptions } from "@tryon/mock";

import { runContract } from "../src/contract.ts";
import { png } from "../src/images.ts";
import type { CheckResult, Report } from "../src/report.ts";
import type { Suite } from "../src/run.ts";
import type { Mutant } from "./mutants/mutant.ts";

/** Engine for checks that ignore the image. Real images take time. */
const engine = { name: "small", render: async () => new Uint8Array(png(3, 4, [1, 2, 3])) };

export function runAgainst(
  { baseUrl, fetch }: Pick<Mock, "baseUrl" | "fetch">,
  only: readonly string[],
  instead = fetch,
): Promise<Report> {
  return runContract({ baseUrl, fetch: instead, level: "full", only });
}

export async function runArea(
  { checks, probes }: Suite,
  options: MockOptions = {},
  plant: Mutant["plant"] = ({ fetch }) => fetch,
): Promise<Report> {
  const mock = createMock({ clock: "manual", engine, ...options });
  const only = [...checks, ...probes].map(({ id }) => id);
  try {
    return await runAgainst(mock, only, plant(mock));
  } finally {
    mock.close();
  }
}

export function failedIds({ checks }: Report): readonly string[] {
  return idsOf(checks.filter(({ status }) => status === "failed"));
}

/** Sorted ids of the failed checks, and of those that found a difference at an open point. */
export function foundIds({ checks }: Report): readonly string[] {
  return idsOf(checks.filter(differs));
}

function differs({ status, message }: CheckResult): boolean {
  return status === "failed" || (status === "observed" && message !== undefined);
}

function idsOf(checks: readonly CheckResult[]): readonly string[] {
  return checks.map(({ id }) => id).toSorted();
}

export function failures({ checks }: Pick<Report, "checks">): string {
  const failed = checks.filter(({ status }) => status === "failed");
  return failed.map(({ id, message }) => `${id}: ${message}`).join("\n");
}

/** Ids of the checks that were not observable, without those of responses. */
export function notObservableIds({ checks }: Report): readonly string[] {
  return checks
    .filter(({ id, status }) => status === "not-observable" && !id.startsWith("responses."))
    .map(({ id }) => id);
}
