import * as z from "zod";

import { failureCode, type PlannedOutcome } from "../service/next-jobs.ts";
import { checkFields, type FieldRule } from "./check-fields.ts";

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

const rules: Readonly<Record<keyof NextJob, FieldRule>> = {
  outcome: { schema: z.enum(outcomes), limit: `one of ${outcomes.join(", ")}` },
  errorMessage: {
    schema: z.string().refine((text) => {
      const { length } = Array.from(text);
      return length >= 1 && length <= maxMessageCharacters;
    }),
    limit: `a text of 1 to ${maxMessageCharacters} characters`,
  },
  durationMs: {
    schema: z.number().min(0).max(maxDuration),
    limit: `a number of milliseconds from 0 to ${maxDuration}`,
  },
  apiKey: {
    schema: z.string().min(1),
    limit: "the token of a key",
    fix: "Leave it out for any key.",
  },
};

export const nextJobFieldNames = Object.keys(rules);

/** @throws TypeError or RangeError that names the field, its limit and the fix. */
export function parseNextJob(input: NextJob): PlannedOutcome {
  if (input === null || typeof input !== "object") {
    throw new TypeError('nextJob takes an object, such as { outcome: "content_blocked" }.');
  }
  checkFields("A next job", rules, input);
  const { errorMessage, durationMs = null, apiKey = null } = input;
  const outcome = input.outcome ?? (errorMessage === undefined ? "succeeded" : "failed");
  if (errorMessage !== undefined && outcome !== "failed") {
    throw new TypeError(
      `errorMessage requires the outcome "failed"; the outcome is ${JSON.stringify(outcome)}.`,
    );
  }
  if (durationMs !== null && outcome === "never") {
    throw new TypeError('durationMs contradicts the outcome "never": such a job does not end.');
  }
  if (outcome === "succeeded" || outcome === "never") {
    return { outcome: { ending: outcome, errorMessage: null, durationMs }, apiKey };
  }
  const message = outcome === "failed" ? (errorMessage ?? failureCode) : outcome;
  return { outcome: { ending: "failed", errorMessage: message, durationMs }, apiKey };
}
