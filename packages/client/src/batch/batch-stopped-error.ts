import { TryOnError } from "@tryon/client";

/**
 * Why a batch stopped before its end. `error`: an item failed for a reason that all others would, see `stopOn`;
 * `content_blocked`: the service refused the content of several in a row; `journal`: it could not be read or written.
 */
export type StopReason = "error" | "content_blocked" | "journal";

/** A batch stopped: everything that had been started was handed out before, and nothing else was started. */
export class BatchStoppedError extends TryOnError {
  declare readonly code: "batch_stopped";
  declare readonly reason: StopReason;

  /** @hidden */
  constructor(reason: StopReason, message: string, hint: string, cause?: unknown) {
    super("batch_stopped", message, { hint, cause });
    this.reason = reason;
  }
}
