import { createMock, optionTable, type Mock, type MockOptions, type Options } from "@tryon/mock";
import { constantFrom, record, type Arbitrary } from "fast-check";

import { billingChecks, jobChecks, requestChecks, webhookChecks } from "../src/checks/index.ts";
import { runContract } from "../src/contract.ts";
import { png } from "../src/images.ts";
import { billingProbes, webhookProbes } from "../src/probes/billing.ts";
import { jobProbes } from "../src/probes/jobs.ts";
import { requestProbes } from "../src/probes/requests.ts";
import type { Report } from "../src/report.ts";
import type { Suite } from "../src/run.ts";
import type { Mutant } from "./mutants/mutant.ts";

/** Engine for checks that ignore the image. Real images take time. */
export const smallEngine = {
  name: "small",
  render: async () => new Uint8Array(png(3, 4, [1, 2, 3])),
};

export const anyOptions = record(
  Object.fromEntries(optionTable.map(({ id, values }) => [id, constantFrom<unknown>(...values)])),
  // Every value is one of its row.
) as unknown as Arbitrary<Options>;

export function runAgainst(
  { baseUrl, fetch }: Pick<Mock, "baseUrl" | "fetch">,
  only: readonly string[],
  instead = fetch,
): Promise<Report> {
  return runContract({ baseUrl, fetch: instead, level: "full", only });
}

export const areas = {
  requests: { checks: requestChecks, probes: requestProbes },
  jobs: { checks: jobChecks, probes: jobProbes },
  billing: { checks: billingChecks, probes: billingProbes },
  webhooks: { checks: webhookChecks, probes: webhookProbes },
} satisfies Record<string, Suite>;

export type Area = keyof typeof areas;

/** Runs the checks and probes of an area. Only those of jobs read the images of results, which take time to make. */
export async function runArea(
  area: Area,
  given: MockOptions = {},
  { plant, isLeftOut = () => false }: RunOptions = {},
) {
  const engine = area !== "jobs" && { engine: smallEngine };
  const mock = createMock({ clock: "manual", ...engine, ...given });
  const ids: readonly string[] = [...areas[area].checks, ...areas[area].probes].map(({ id }) => id);
  const only = ids.filter((id) => !isLeftOut(id));
  try {
    const report = await runAgainst(mock, only, plant?.(mock));
    const notObservable = notObservableIds(report).filter((id) => ids.includes(id));
    return { ...report, notObservable, options: mock.options };
  } finally {
    mock.close();
  }
}

interface RunOptions {
  readonly plant?: Mutant["plant"];
  readonly isLeftOut?: (id: string) => boolean;
}

/** Sorted ids of the failed checks, and of those that found a difference at an open point. */
export function foundIds({ checks }: Report): readonly string[] {
  return checks
    .filter(({ status, message }) => status === "failed" || (status === "observed" && message))
    .map(({ id }) => id)
    .toSorted();
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
