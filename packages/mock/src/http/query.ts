import type { ValidationError } from "../generated/openapi.ts";
import type { Options } from "../options.ts";
import { limits } from "../service/catalogue.ts";
import type { JobStatus } from "../store/records.ts";
import { wholeNumberProblem, type Finding } from "./checks.ts";
import { InvalidInput } from "./invalid-input.ts";
import { statusNames } from "./schemas.ts";
import { problem } from "./validation.ts";

export interface ListQuery {
  readonly limit: number;
  readonly cursor: string | undefined;
  readonly status: JobStatus | undefined;
}

/** @throws InvalidInput with every problem found. */
export function readListQuery(query: URLSearchParams, options: Options): ListQuery {
  const problems: ValidationError[] = [];
  const note = (name: string, finding: Finding, input: string): void => {
    problems.push(problem(["query", name], finding, input, options));
  };
  const limitText = query.get("limit");
  const limit = limitText === null ? limits.defaultPage : Number(limitText);
  if (limitText !== null) {
    const found = limitProblem(limitText, options.maxLimit);
    if (found !== undefined) note("limit", found, limitText);
  }
  const filter = statusFilter(query, options.filterName);
  if (filter !== undefined && !statusNames.includes(filter.value)) {
    const expected = "'queued', 'running', 'succeeded' or 'failed'";
    const msg = `Input should be ${expected}`;
    note(filter.name, { type: "literal_error", msg, ctx: { expected } }, filter.value);
  }
  if (problems.length > 0) throw new InvalidInput(problems);
  return {
    limit,
    cursor: query.get("cursor") || undefined,
    // The check above has let only the four statuses pass.
    status: filter?.value as JobStatus | undefined,
  };
}

function limitProblem(text: string, most: number): Finding | undefined {
  if (/^[+-]?\d+$/.test(text)) return wholeNumberProblem(Number(text), 1, most);
  const msg = "Input should be a valid integer, unable to parse string as an integer";
  return { type: "int_parsing", msg, ctx: {} };
}

/** The filter under the first name that is honoured; a name that is not is as any unknown one. */
function statusFilter(
  query: URLSearchParams,
  honoured: Options["filterName"],
): { name: string; value: string } | undefined {
  const names = honoured === "both" ? ["status_filter", "status"] : [honoured];
  for (const name of names) {
    const value = query.get(name);
    if (value !== null) return { name, value };
  }
  return undefined;
}
