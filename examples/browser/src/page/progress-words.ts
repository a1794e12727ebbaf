import type { OpenJobStatus, Update } from "@tryon/client";

/** How far a try-on is, as the page shows it. */
export type Step = "preparing" | "sending" | "retrying" | "queued" | "making" | "fetching";

const words: Readonly<Record<Step, string>> = {
  preparing: "Folding things neatly",
  sending: "Sending your pictures",
  retrying: "The line is shaky: trying again",
  queued: "Waiting for a free mirror",
  making: "Dressing you",
  fetching: "Bringing your picture",
};

/** How long most try-ons take, in seconds. */
const usual = 30;

export function stepWords(step: Step): string {
  return words[step];
}

/** What to say about the time that has gone by, in seconds. */
export function patienceWords(elapsed: number): string {
  if (elapsed <= usual) return `Usually 10–${usual} seconds.`;
  return elapsed <= 3 * usual
    ? "A little longer than usual; it is still being made."
    : "Much longer than usual. You may leave: it can be picked up later.";
}

/** The step that an update of the client stands for. */
export function stepOf(update: Update): Step {
  if (update.phase === "waiting") return stepOfStatus(update.job.status);
  return update.phase === "sending" || update.phase === "retrying" ? update.phase : "fetching";
}

function stepOfStatus(status: OpenJobStatus): Step {
  return status === "queued" ? "queued" : "making";
}

/** Seconds as `0:07` and `2:05`. */
export function clockTime(seconds: number): string {
  const rest = String(seconds % 60).padStart(2, "0");
  return `${Math.floor(seconds / 60)}:${rest}`;
}
