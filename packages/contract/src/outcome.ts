import type { HttpResponse } from "./wire/response.ts";

/** A deployment does not do what the contract says. */
export class CheckFailure extends Error {
  override readonly name = "Broken";
  /** The answer that shows it. */
  readonly answer: HttpResponse | undefined;

  constructor(message: string, answer?: HttpResponse) {
    super(message);
    this.answer = answer;
  }
}

/** Something cannot be seen in this run; the message says why, and what would make it visible. */
export class SkipCheck extends Error {
  override readonly name = "Skip";
}

/** @throws Broken unless the condition holds. */
export function must(
  condition: unknown,
  message: string,
  answer?: HttpResponse,
): asserts condition {
  if (!condition) throw new CheckFailure(message, answer);
}
