import type { TryOnSnapshot } from "@tryon/client/session";

/** State in which the page shows progress. */
export type BusySnapshot = Extract<
  TryOnSnapshot,
  { readonly status: "preparing" | "uploading" | "waiting" }
>;

/** Describes the current step of a try-on. */
export function stepMessage(snapshot: BusySnapshot): string {
  if (snapshot.status === "preparing") return "Preparing your images";
  if (snapshot.status === "uploading") {
    return snapshot.isRetrying ? "Connection problem, trying again" : "Sending your images";
  }
  if (snapshot.jobStatus === "queued") return "Waiting in the queue";
  return snapshot.jobStatus === "succeeded" ? "Loading your image" : "Creating your image";
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
