/** How a job is to end, when somebody steers it. */
export interface Outcome {
  readonly ending: "succeeded" | "failed" | "never";
  readonly errorMessage: string | null;
  /** Milliseconds that the model takes, or null for the usual time. */
  readonly durationMs: number | null;
}

/** The error code of every failure after the model was reached. */
export const failureCode = "generation_failed";

/** The error message of a refusal of content. */
export const contentBlocked = "content_blocked";

const usual: Outcome = { ending: "succeeded", errorMessage: null, durationMs: null };

/** Reads the outcome that words in a prompt ask for, such as `mock:content_blocked` or `mock:slow=5000`. */
export function outcomeOf(prompt: string | null): Outcome {
  const match =
    /\bmock:(content_blocked|model_rejected|storage_failed|never|slow=(\d{1,12}))(?!\w)/.exec(
      prompt ?? "",
    );
  if (match === null) return usual;
  if (match[2] !== undefined) return { ...usual, durationMs: Number(match[2]) };
  if (match[1] === "never") return { ...usual, ending: "never" };
  return { ...usual, ending: "failed", errorMessage: match[1] ?? null };
}
