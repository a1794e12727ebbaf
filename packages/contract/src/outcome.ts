import type { HttpResponse } from "./wire/response.ts";

export class CheckFailure extends Error {
  override readonly name = "CheckFailure";
  readonly response: HttpResponse | undefined;

  constructor(message: string, response?: HttpResponse) {
    super(message);
    this.response = response;
  }
}

/** Behavior that is not observable in this run. The message has the reason, and what makes it observable. */
export class SkipCheck extends Error {
  override readonly name = "SkipCheck";
}

export function need(condition: unknown, message: string): asserts condition {
  if (!condition) throw new SkipCheck(message);
}

export function must(
  condition: unknown,
  message: string,
  response?: HttpResponse,
): asserts condition {
  if (!condition) throw new CheckFailure(message, response);
}
