import { ConnectionError } from "../errors/connection-error.ts";
import { abortable, type Deadline } from "../transport/deadline.ts";
import type * as run from "./run.ts";

/** The part of the package that is loaded late. */
export type Late = typeof run;

/**
 * What makes try-ons, waits for them and fetches their images. In browsers it is loaded when the first is made or waited
 * for, since pages are quicker there without it; in one piece, so that nothing is left to load once something is paid for.
 */
export async function late(deadline?: Deadline): Promise<Late> {
  try {
    const parts = import("./run.ts");
    return await (deadline ? abortable(parts, deadline.signal) : parts);
  } catch (cause) {
    deadline?.throwIfAborted();
    const code = deadline?.passed ? "timed_out" : "connection_failed";
    throw new ConnectionError(code, "A part of @tryon/client was not loaded.", {
      hint: "Nothing was sent: load the page anew.",
      cause,
    });
  }
}
