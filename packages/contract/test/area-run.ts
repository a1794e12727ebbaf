import type { Mock } from "@tryon/mock";

import { runContract } from "../src/contract.ts";
import type { Report } from "../src/report.ts";

/** Runs chosen checks and probes against a server in this process. */
export function runAgainst(
  { baseUrl, fetch }: Mock,
  only: readonly string[],
  instead = fetch,
): Promise<Report> {
  return runContract({ baseUrl, fetch: instead, level: "full", only });
}

/** The ids of what a report has that is broken, sorted. */
export function brokenIn({ checks }: Report): readonly string[] {
  return checks
    .filter(({ status }) => status === "failed")
    .map(({ id }) => id)
    .toSorted();
}
