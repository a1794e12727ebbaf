import { notObservableOptions } from "./probes/index.ts";
import type { Observation, Profile, Report } from "./report.ts";

/** Makes the profile of the observations. */
export function profileOf(observations: readonly Observation[]): Profile {
  const observed = observations.filter(({ value }) => value !== "unknown");
  return {
    options: Object.fromEntries(observed.map(({ option, value }) => [option, value])),
    unknown: [
      ...observations.filter(({ value }) => value === "unknown").map(({ option }) => option),
      ...Object.keys(notObservableOptions),
    ],
  };
}

/** Writes the profile as a file for the reference server. */
export function profileFile({ profile }: Report): string {
  return `${JSON.stringify(profile, null, 2)}\n`;
}
