import { TryOnError } from "./tryon-error.ts";

/**
 * Reason why a batch stopped.
 *
 * - `error`: an item failed in a way that every other item would, see `stopOn`.
 * - `content_blocked`: the service blocked the content of several consecutive items.
 * - `journal`: the journal could not be read or written.
 */
export type StopReason = "error" | "content_blocked" | "journal";

/** A batch stopped early. It has yielded every item that it had started, and starts no other. */
export class BatchStoppedError extends TryOnError {
  declare readonly code: "batch_stopped";
  declare readonly reason: StopReason;

  /** @hidden */
  constructor(reason: StopReason, message: string, hint: string, cause?: unknown) {
    super("batch_stopped", message, { hint, cause });
    this.reason = reason;
  }
}
