import type { Observation, Profile } from "./report.ts";

/** What was observed, as options for the reference server. */
export function profileOf(observations: readonly Observation[]): Profile {
  const seen = observations.filter(({ value }) => value !== "unknown");
  return {
    options: Object.fromEntries(seen.map(({ option, value }) => [option, value])),
    unknown: observations.filter(({ value }) => value === "unknown").map(({ option }) => option),
  };
}
