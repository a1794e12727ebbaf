import type { ServerRule } from "../generated/server-rules.ts";

/** Facts about a response beside its headers and its body. */
interface Marks {
  /** Text of the body. Sending it directly saves a stream, which costs more than all other work for a small response. */
  readonly text?: string;
  /** Rule of the service that the request broke. */
  readonly rule?: ServerRule | undefined;
  /** Bytes that are sent of a truncated body. */
  readonly sent?: Uint8Array;
  /** If true, a gateway sent the response, so it has no headers of the service. */
  readonly isOfGateway?: true;
}

// A registered symbol: the CommonJS files of the package each have a copy of this module.
const key = Symbol.for("@tryon/mock marks");

export function mark(response: Response, marks: Marks): Response {
  return Object.assign(response, { [key]: { ...marksOf(response), ...marks } });
}

export function marksOf(response: Response): Marks {
  // Only `mark` sets a property of this name.
  return (response as { [key]?: Marks })[key] ?? {};
}
