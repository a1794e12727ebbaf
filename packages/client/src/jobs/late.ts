import { abortable, type Deadline } from "../http/deadline.ts";
import { latePart, notLoaded } from "../http/late-part.ts";
import type * as run from "./run.ts";

/** The part of the package that is loaded late. */
export type Late = typeof run;

const load = /* @__PURE__ */ latePart(() => import("./run.ts"));

/**
 * What makes try-ons, waits for them and fetches their images. In browsers it is loaded when the first is made or waited
 * for, since pages are quicker there without it; in one piece, so that nothing is left to load once something is paid for.
 */
export async function late(deadline?: Deadline): Promise<Late> {
  if (deadline === undefined) return load();
  try {
    return await abortable(load(), deadline.signal);
  } catch (cause) {
    deadline.throwIfAborted();
    throw deadline.passed ? notLoaded("timed_out", cause) : cause;
  }
}
