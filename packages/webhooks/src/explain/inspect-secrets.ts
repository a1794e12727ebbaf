import { viewOf } from "../verification/raw-bytes.ts";
import { isUsable } from "../verification/secrets.ts";
import type { CauseFinding } from "./cause.ts";
import type { Delivery } from "./delivery.ts";

/** What is wrong with the secrets themselves. */
export function inspectSecrets({ secrets, secretsFailed }: Delivery): readonly CauseFinding[] {
  if (secretsFailed) return [{ cause: "secret_source_failed" }];
  const list: readonly unknown[] = Array.isArray(secrets) ? secrets : [secrets];
  const set = list.filter((secret) => secret !== undefined);
  if (set.length === 0) return [{ cause: "secret_missing" }];
  return list.flatMap((secret, at): CauseFinding[] => {
    const detail = list.length > 1 ? `secrets[${at}]` : undefined;
    if (secret === undefined) return [];
    if (typeof secret !== "string") return [{ cause: "secret_not_text", detail }];
    if (secret.trim() === "") return [{ cause: "secret_blank", detail }];
    return isUsable(secret) ? [] : [{ cause: "secret_placeholder", detail }];
  });
}

/** Why there are no bytes of a body, and what was parsed of them where that is at hand. */
export function unreadableBody(body: unknown): { trouble: CauseFinding; parsed?: unknown } {
  if (body === undefined || body === null) return { trouble: { cause: "body_missing" } };
  if (typeof body !== "object") {
    return { trouble: { cause: "body_not_bytes", detail: `it is a ${typeof body}` } };
  }
  const { bodyUsed, readableDidRead, body: inner } = fieldsOf(body);
  if (bodyUsed === true || readableDidRead === true) {
    const parsed = isParsed(inner) ? inner : undefined;
    return { trouble: { cause: "body_read_before" }, parsed };
  }
  if (isParsed(body)) return { trouble: { cause: "body_parsed" }, parsed: body };
  const streams = Symbol.asyncIterator in body || bodyUsed === false;
  return { trouble: { cause: streams ? "body_unreadable" : "body_parsed" } };
}

/** Plain objects and arrays, which JSON can have been; a request or a form is none. */
function isParsed(value: unknown): boolean {
  if (typeof value !== "object" || value === null || viewOf(value) !== undefined) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === null || prototype === Object.prototype;
}

function fieldsOf(body: object): Readonly<Record<string, unknown>> {
  // A field of a request may be an accessor of its class, which a copy would lose.
  return body as Readonly<Record<string, unknown>>;
}
