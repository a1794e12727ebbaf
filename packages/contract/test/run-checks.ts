import { createMock, type MockOptions } from "@tryon/mock";

import type { Check, Probe } from "../src/check.ts";
import { runContract } from "../src/contract.ts";
import { png } from "../src/images.ts";
import type { Report } from "../src/report.ts";
import type { Mutant } from "./mutants/mutant.ts";

/** What images look like does not matter to some checks, and to make them takes time. */
const engine = { name: "small", render: async () => new Uint8Array(png(3, 4, [1, 2, 3])) };

/** A part of the kit that looks at a reference server in this process. */
export interface Part {
  readonly checks: readonly Check[];
  readonly probes: readonly Probe[];
}

/** What a part of the kit finds on a new reference server, through a deviation if there is one. */
export async function runChecks(
  { checks, probes }: Part,
  options: MockOptions = {},
  plant: Mutant["plant"] = ({ fetch }) => fetch,
): Promise<Report> {
  const mock = createMock({ clock: "manual", engine, ...options });
  const only = [...checks, ...probes].map(({ id }) => id);
  try {
    return await runContract({ baseUrl: mock.baseUrl, fetch: plant(mock), level: "full", only });
  } finally {
    mock.close();
  }
}

/** The ids of what was broken, in order, and why. */
export function failed({ checks }: Report): { ids: readonly string[]; why: string } {
  const found = checks.filter(({ status }) => status === "failed");
  return {
    ids: found.map(({ id }) => id).toSorted((one, other) => one.localeCompare(other)),
    why: found.map(({ id, message }) => `${id}: ${message}`).join("\n"),
  };
}

/** The ids of the checks that were left out. */
export function skipped({ checks }: Report): readonly string[] {
  return checks
    .filter(({ id, status }) => status === "not-observable" && !id.startsWith("responses."))
    .map(({ id }) => id);
}

/** The checks whose ids begin with the same words as one of these. */
export function related({ checks }: Part, ids: readonly string[], words = 1): Part {
  const start = (id: string): string => id.split(".").slice(0, words).join(".");
  const starts = new Set(ids.map(start));
  return { checks: checks.filter(({ id }) => starts.has(start(id))), probes: [] };
}
