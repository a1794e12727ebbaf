import { describe, expect, test } from "vitest";

import { assertPassed, ContractFailedError } from "./assert-passed.ts";
import type { CheckResult } from "./report.ts";
import { goodReport, sampleReport } from "../test/sample-report.ts";

function withStatus(status: CheckResult["status"]): CheckResult {
  const found = sampleReport.checks.find((check) => check.status === status);
  if (found === undefined) throw new Error(`The sample has nothing that is ${status}.`);
  return found;
}

describe("a test for each check", () => {
  // oxlint-disable-next-line vitest/expect-expect -- assertPassed is the test
  test.for(goodReport.checks)("can be written so: $id: $title", assertPassed);

  test("fails with the fault, the rules and a request when the check failed", () => {
    const failed = withStatus("failed");
    expect(() => assertPassed(failed)).toThrow(ContractFailedError);
    expect(() => assertPassed(failed)).toThrow(
      /^idempotency\.replay\.charges-nothing: The same call .*\nThe second call took 8 .*\nrules: .*\ncurl -i /,
    );
  });

  test("is skipped with the reason when the check was not observable", () => {
    const reasons: (string | undefined)[] = [];
    const skipped = withStatus("not-observable");
    assertPassed(skipped, { skip: (reason) => reasons.push(reason) });
    expect(reasons).toEqual([skipped.message]);
    expect(() => assertPassed(skipped)).not.toThrow();
  });
});
