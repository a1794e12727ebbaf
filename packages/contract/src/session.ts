import type { CheckContext } from "./session/context.ts";
import { checkHttp } from "./session/http.ts";
import { checkKeys } from "./session/keys.ts";
import { checkTime } from "./session/time.ts";
import type { KeyKind } from "./target/keys.ts";

/** Parts of a run for one check, which takes what it needs. */
export type Session = ReturnType<typeof openSession>;

/** @throws SkipCheck when the run has no key of this kind. */
export function openSession(context: CheckContext, on: KeyKind) {
  const keys = checkKeys(context, on);
  const time = checkTime(context.time, context.control);
  return { context, keys, time, http: checkHttp(context, keys, time) };
}
