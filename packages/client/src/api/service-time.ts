import { serviceTime } from "@tryon/shared/service-time";

import { InputError } from "../errors/refusal-errors.ts";

export { serviceTime } from "@tryon/shared/service-time";

/** Reads a time of a caller, in milliseconds since 1970. A time without a zone is UTC. Throws `invalid_input`. */
export function readTime(time: Date | number | string | undefined, field: string) {
  if (time === undefined) return undefined;
  const value = typeof time === "string" ? serviceTime(time) : Number(time);
  if (typeof time !== "boolean" && time !== null && Number.isFinite(value)) return value;
  throw new InputError(field, "must be a Date, milliseconds since 1970, or ISO 8601");
}
