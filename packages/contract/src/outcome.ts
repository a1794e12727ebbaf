import type { Answer } from "./wire/answer.ts";

/** A deployment does not do what the contract says. */
export class Broken extends Error {
  override readonly name = "Broken";
  /** The answer that shows it. */
  readonly answer: Answer | undefined;

  constructor(message: string, answer?: Answer) {
    super(message);
    this.answer = answer;
  }
}

/** Something cannot be seen in this run; the message says why, and what would make it visible. */
export class Skip extends Error {
  override readonly name = "Skip";
}

/** @throws Broken unless the condition holds. */
export function must(condition: unknown, message: string, answer?: Answer): asserts condition {
  if (!condition) throw new Broken(message, answer);
}
