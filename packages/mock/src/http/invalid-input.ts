import type { ValidationError } from "../generated/openapi.ts";

/** A request that its types alone show to be wrong: every problem of it, in the words of pydantic 2. */
export class InvalidInput extends Error {
  readonly problems: readonly ValidationError[];

  constructor(problems: readonly ValidationError[]) {
    super("The request does not have the documented form.");
    this.name = "InvalidInput";
    this.problems = problems;
  }
}

/** A body that is no JSON object; the server may be set to answer it in another way than other problems. */
export class MalformedBody extends InvalidInput {}
