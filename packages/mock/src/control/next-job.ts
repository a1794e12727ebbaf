import {
  accepting,
  number,
  oneOf,
  OptionsError,
  readOptions,
  type Rule,
} from "@tryon/shared/options";

import { failureCode, type PlannedOutcome } from "../service/next-jobs.ts";

const outcomes = [
  "succeeded",
  "content_blocked",
  "model_rejected",
  "storage_failed",
  "failed",
  "never",
] as const;
const maxMessageCharacters = 1_000;
const maxDuration = 1e12;

/** Outcome of the next job. */
export interface NextJob {
  /**
   * `succeeded`, `never` (the job runs forever), one of the service's failures, or `failed` with an `errorMessage`.
   * @default "failed" if there is an `errorMessage`, else "succeeded"
   */
  outcome?: (typeof outcomes)[number];
  /** Message of an outcome `failed`: 1 to 1,000 characters. @default "generation_failed" */
  errorMessage?: string;
  /** Duration of the model in milliseconds, from 0 up. @default the server's latency */
  durationMs?: number;
  /** Token of the key whose next job is meant. @default the first key that submits */
  apiKey?: string;
}

export const nextJobRules = {
  outcome: oneOf(...outcomes),
  errorMessage: accepting<string>(`a text of 1 to ${maxMessageCharacters} characters`, (given) => {
    const { length } = Array.from(typeof given === "string" ? given : "");
    return length >= 1 && length <= maxMessageCharacters;
  }),
  durationMs: number(0, maxDuration),
  apiKey: {
    ...accepting<string>(
      "the token of a key",
      (given) => typeof given === "string" && given !== "",
    ),
    hint: "Leave it out for any key.",
    isSecret: true,
  },
} satisfies Record<keyof NextJob, Rule>;

export function parseNextJob(given: NextJob): PlannedOutcome {
  const input = readOptions("a field of a next job", given, nextJobRules);
  const { errorMessage, durationMs = null, apiKey = null } = input;
  const outcome = input.outcome ?? (errorMessage === undefined ? "succeeded" : "failed");
  if (errorMessage !== undefined && outcome !== "failed") {
    const problem = `requires the {outcome} "failed"; it is ${JSON.stringify(outcome)}`;
    throw new OptionsError("errorMessage", problem);
  }
  if (durationMs !== null && outcome === "never") {
    const problem = 'contradicts the {outcome} "never": such a job does not end';
    throw new OptionsError("durationMs", problem);
  }
  if (outcome === "succeeded" || outcome === "never") {
    return { outcome: { ending: outcome, errorMessage: null, durationMs }, apiKey };
  }
  const message = outcome === "failed" ? (errorMessage ?? failureCode) : outcome;
  return { outcome: { ending: "failed", errorMessage: message, durationMs }, apiKey };
}
