import type { Update } from "@tryon/client";

/** Current step of a try-on. */
export type Step = "preparing" | "sending" | "retrying" | "queued" | "creating" | "downloading";

export const stepMessages: Readonly<Record<Step, string>> = {
  preparing: "Preparing your images",
  sending: "Sending your images",
  retrying: "Connection problem, trying again",
  queued: "Waiting in the queue",
  creating: "Creating your image",
  downloading: "Loading your image",
};

/** Returns the step for an update of the client. */
export function stepOf(update: Update): Step {
  if (update.phase === "waiting") return update.job.status === "queued" ? "queued" : "creating";
  if (update.phase === "uploading") return "sending";
  return update.phase === "sending" || update.phase === "retrying" ? update.phase : "downloading";
}

/** Usual duration of a try-on, in seconds. */
const usual = 30;

export function durationMessage(elapsed: number): string {
  if (elapsed <= usual) return `Usually 10–${usual} seconds.`;
  return elapsed <= 3 * usual
    ? "This takes a little longer than usual."
    : "This takes much longer than usual. You can leave and get your image later.";
}

/** Formats seconds as `0:07` or `2:05`. */
export function formatTime(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
