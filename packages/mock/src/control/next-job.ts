import { failureCode, type PlannedOutcome } from "../service/next-jobs.ts";

const failures = ["content_blocked", "model_rejected", "storage_failed"] as const;
const outcomes = ["succeeded", ...failures, "failed", "never"] as const;
const fields = ["outcome", "errorMessage", "durationMs", "apiKey"] as const;
const errorMessageCharacters = 1_000;
const longestDuration = 1e12;

/** How the next job is to end. */
export interface NextJob {
  /**
   * `succeeded`, `never` (it runs for ever), one of the failures that the service is known for, or `failed` with an
   * `errorMessage` of your own.
   * @default "failed" when there is an `errorMessage`, else "succeeded"
   */
  outcome?: (typeof outcomes)[number];
  /** The message of an outcome `failed`: 1 to 1,000 characters. @default "generation_failed" */
  errorMessage?: string;
  /** Milliseconds that the model takes, from 0 up. @default the server's latency */
  durationMs?: number;
  /** The token of the key whose next job is meant. @default whichever key submits first */
  apiKey?: string;
}

/** @throws TypeError or RangeError naming the field and what it may be. */
export function readNextJob(input: NextJob): PlannedOutcome {
  checkObject(input);
  const { errorMessage, durationMs, apiKey } = input;
  const outcome = input.outcome ?? (errorMessage === undefined ? "succeeded" : "failed");
  if (!outcomes.includes(outcome)) {
    const allowed = outcomes.join(", ");
    throw new RangeError(`outcome has to be one of ${allowed}; got ${JSON.stringify(outcome)}.`);
  }
  if (errorMessage !== undefined) checkErrorMessage(errorMessage, outcome);
  if (durationMs !== undefined) checkDuration(durationMs, outcome);
  if (apiKey !== undefined && (typeof apiKey !== "string" || apiKey === "")) {
    throw new TypeError("apiKey has to be the token of a key; leave it out for any key.");
  }
  const ending = outcome === "succeeded" || outcome === "never" ? outcome : "failed";
  const message = outcome === "failed" ? (errorMessage ?? failureCode) : outcome;
  return {
    outcome: {
      ending,
      errorMessage: ending === "failed" ? message : null,
      durationMs: durationMs ?? null,
    },
    apiKey: apiKey ?? null,
  };
}

function checkObject(input: unknown): void {
  if (input === null || typeof input !== "object") {
    throw new TypeError('nextJob takes an object, such as { outcome: "content_blocked" }.');
  }
  const known: readonly string[] = fields;
  const unknown = Object.keys(input).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(
    `nextJob knows no ${JSON.stringify(unknown)}; it takes ${fields.join(", ")}.`,
  );
}

function checkErrorMessage(errorMessage: unknown, outcome: string): void {
  if (outcome !== "failed") {
    throw new TypeError(
      `errorMessage goes with the outcome "failed" alone; the outcome is ${JSON.stringify(outcome)}.`,
    );
  }
  if (typeof errorMessage !== "string") throw new TypeError("errorMessage has to be a text.");
  const { length } = Array.from(errorMessage);
  if (length >= 1 && length <= errorMessageCharacters) return;
  throw new RangeError(
    `errorMessage has to have 1 to ${errorMessageCharacters} characters; got ${length}.`,
  );
}

function checkDuration(durationMs: unknown, outcome: string): void {
  if (typeof durationMs !== "number") {
    throw new TypeError(
      `durationMs has to be a number of milliseconds; got a ${typeof durationMs}.`,
    );
  }
  if (outcome === "never") {
    throw new TypeError('durationMs does not go with the outcome "never": such a job has no end.');
  }
  if (durationMs >= 0 && durationMs <= longestDuration) return;
  throw new RangeError(
    `durationMs has to be a number of milliseconds from 0 to ${longestDuration}; got ${durationMs}.`,
  );
}
