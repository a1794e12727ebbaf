import type { TryOnError } from "../errors/tryon-error.ts";

/** One wait for one job. */
export interface PendingWait {
  readonly id: string;
  /** Whether nothing is known of the job yet, so that the first look is due at once. */
  readonly unseen: boolean;
  /** Since when the service has had the job, as far as is known, in milliseconds since 1970. */
  since: number;
  /** Since when it is known here. A job that is new may be missing for a moment. */
  readonly knownSince: number;
  /** The names that its run time goes by. */
  readonly kinds: readonly string[];
  /** How many looks have shown it. */
  looks: number;
  /** Whether it is to be asked for by its id the next time, or always, since the list did not show it. */
  byId: "once" | "always" | undefined;
  /** The last failure that did not end the wait. */
  failure: TryOnError | undefined;
}
