/** A duration: a number of milliseconds, or a string such as `"500ms"`, `"30s"`, `"3m"`, `"1h"`. */
export type Duration = number | `${number}${"ms" | "s" | "m" | "h" | "d"}`;

/** Options of every call. */
export interface CallOptions {
  /** Rejects the call at once with the signal's reason. A job that was submitted goes on, since the service cancels none. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Maximum duration of the call in all, in milliseconds or as a string such as `"3m"`.
   *
   * @default the client's `timeout` for run, submit, result and images; "2m" for other calls
   */
  readonly timeout?: Duration | undefined;
}
