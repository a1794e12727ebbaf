import type { TryOnError } from "../errors/tryon-error.ts";

/** Wait for a job. */
export interface PendingWait {
  readonly id: string;
  /** If true, the job is only known by its id, and the first poll is due at once. */
  readonly unseen: boolean;
  /** Start of the job at the service as far as known, in milliseconds since 1970. */
  since: number;
  /** Time since when this client knows the job. Reads may not show a new job yet. */
  readonly knownSince: number;
  /** Names under which its run time is learned. */
  readonly kinds: readonly string[];
  /** Number of polls that returned it. */
  polls: number;
  /** Last transient failure. */
  failure?: TryOnError | undefined;
}
