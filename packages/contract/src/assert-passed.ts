import type { CheckResult } from "./report.ts";

/** What the context of a test of vitest and that of node:test have in common. */
export interface SkippingContext {
  /** Marks the test as skipped. */
  skip(reason?: string): unknown;
}

/** A deployment does not do what a check claims; thrown by {@link assertPassed}. */
export class ContractFailedError extends Error {
  override readonly name = "ContractFailedError";
  readonly check: CheckResult;

  constructor(check: CheckResult) {
    const { id, title, message = "", curl, rules } = check;
    const lines = [
      `${id}: ${title}`,
      message,
      ...(rules.length === 0 ? [] : [`rules: ${rules.join(", ")}`]),
      ...(curl === undefined ? [] : [curl]),
    ];
    super(lines.join("\n"));
    this.check = check;
  }
}

/**
 * Makes a test of what came of a check: it fails when that is broken, and is marked as skipped when it could not be seen.
 *
 * @param context the context of the test, of vitest or node:test; without it a check that was skipped passes.
 * @throws ContractFailedError with what came, the rules, and a line of curl.
 * @example
 * ```ts
 * const { checks } = await runContract({ baseUrl, apiKey });
 * test.for(checks)("$id: $title", assertPassed);
 * ```
 */
export function assertPassed(check: CheckResult, context?: SkippingContext): void {
  if (check.status === "broken") throw new ContractFailedError(check);
  if (check.status === "skipped") context?.skip(check.message);
}
