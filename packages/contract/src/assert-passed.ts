import type { CheckResult } from "./report.ts";

/** Context of a test of vitest or node:test. */
export interface SkippingContext {
  /** Marks the test as skipped. */
  skip(reason?: string): unknown;
}

/** Error of {@link assertPassed} for a failed check. */
export class ContractFailedError extends Error {
  /** Always `ContractFailedError`. */
  override readonly name = "ContractFailedError";
  /** Result of the failed check. */
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
 * Turns the result of a check into a test. The test fails when the check failed, and is skipped when the check was not
 * observable.
 *
 * @param context of the test, of vitest or node:test. Without it, a check that was not observable passes.
 * @throws ContractFailedError with the fault, the rules and a request as a line of curl.
 * @example
 * ```ts
 * const { checks } = await runContract({ baseUrl, apiKey });
 * test.for(checks)("$id: $title", assertPassed);
 * ```
 */
export function assertPassed(check: CheckResult, context?: SkippingContext): void {
  if (check.status === "failed") throw new ContractFailedError(check);
  if (check.status === "not-observable") context?.skip(check.message);
}
