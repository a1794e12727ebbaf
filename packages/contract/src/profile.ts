import { notObservableOptions } from "./probes/index.ts";
import type { Observation, Profile, Report } from "./report.ts";

/** What was observed, as options for the reference server. */
export function profileOf(observations: readonly Observation[]): Profile {
  const seen = observations.filter(({ value }) => value !== "unknown");
  return {
    options: Object.fromEntries(seen.map(({ option, value }) => [option, value])),
    unknown: [
      ...observations.filter(({ value }) => value === "unknown").map(({ option }) => option),
      ...Object.keys(notObservableOptions),
    ],
  };
}

/** The profile as a file that the reference server takes. */
export function profileFile({ profile }: Report): string {
  return `${JSON.stringify(profile, null, 2)}\n`;
}
