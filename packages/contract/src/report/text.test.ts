import { describe, expect, test } from "vitest";

import { cutReport, goodReport, nasty, sampleReport } from "../../test/sample-report.ts";
import { paintWith, textReport } from "./text.ts";

describe("the text of a report", () => {
  const text = textReport(sampleReport);

  test("separates failed, observed, explained and not observable, and ends with the verdict", () => {
    const heads = text.split("\n").filter((line) => /^\S/.test(line));
    expect(heads.map((line) => line.split(/[:.]/)[0])).toEqual([
      "Observed",
      "Differs",
      "Explained",
      "Not observable",
      "Failed",
      "The deployment fails 2 checks",
    ]);
    expect(text).toContain(
      "15 passed · 2 failed · 5 not observable · 38 of 40 observed · 2 open checks, 1 differ from the reference server",
    );
    expect(text).toContain("level paid · 83 s · 44 of at most 50 credits spent");
  });

  test("shows the requirement, the fault, the rules and a request of a failed check", () => {
    expect(text).toContain(
      [
        "  ✗ idempotency.replay.charges-nothing",
        "    required  The same call with the same idempotency key is charged once",
        "    actual    The second call took 8 more credits; it should have taken none.",
        "    rules     idempotency.replay.charges-nothing.rule, auth.bearer.header",
        "    request   curl -i -X POST https://tryon.example/api/v1/tryon -H 'authorization: Bearer svc_test_…'",
      ].join("\n"),
    );
  });

  test("shows the option, the value and the meaning of an observation", () => {
    expect(text).toMatch(/^ {2}timeFormat +naive +times have no zone; they are UTC$/m);
    expect(text).toMatch(/^ {2}readLag +\? +This run could not tell\.$/m);
    expect(text).toMatch(/^ {2}times that do not end in Z {2}\(timeFormat = naive\)$/m);
  });

  test("shows how the deployment differs at an open point, without the checks that do not", () => {
    expect(text).toContain("  list-query.limit\n        Expected 422 for the limit 0, got 200.\n");
    expect(text).not.toContain("cross-origin.response");
  });

  test("groups checks that were not observable by their reason", () => {
    expect(text).toMatch(/^ {4}3 × The deployment must reach the kit.*--webhook-port/m);
    expect(text).toContain("webhooks.schedule, webhooks.redirect, webhooks.resend");
  });

  test("begins its verdict with the early end of the run, and lists what was not run", () => {
    const cut = textReport(cutReport, paintWith(false), { brief: true });
    expect(cut).toContain(
      "\nThe run ended early: it took 600 s, its maximum (--max-time). The deployment fails 2 checks so far.  https:",
    );
    expect(cut).toContain(
      "\nNot run: the run ended before these checks\n    2 × webhooks\n        webhooks.redirect, webhooks.resend\n    1 × observe\n",
    );
    expect(cut).toContain("5 not observable · 2 of them not run");
    const whole = textReport(cutReport);
    expect(whole).toMatch(
      /^ {4}1 × The deployment must reach the kit.*\n {8}webhooks\.schedule\n/m,
    );
    const notRun = Array.from({ length: 9 }, (_, index) => `list.${index}`);
    const many = {
      ...cutReport,
      endedEarly: { cause: "interrupted", message: "", notRun },
    } as const;
    expect(textReport(many)).toContain(notRun.join(", "));
    expect(textReport(many, paintWith(false), { width: 80 })).toContain("list.3 and 5 more\n");
  });

  test("removes control characters that a deployment sends", () => {
    expect(nasty).toMatch(/\p{C}/u);
    expect(text).toMatch(/^[^\p{Cc}\p{Cs}\p{Cf}]*$/mu);
    expect(text.replaceAll("\n", "")).not.toMatch(/\p{C}/u);
    expect(textReport(sampleReport, paintWith(true))).toContain("\u001B[31m");
  });

  test.each([
    [
      { endedEarly: { cause: "interrupted", message: "it was interrupted", notRun: ["a.b"] } },
      "The run ended early: it was interrupted. No check has failed so far.",
    ],
    [{ checks: [] }, "No check could run, so the result is open."],
    [{}, "The deployment passes every check."],
    [{ credits: { planned: 0, max: Infinity, spent: 8 } }, "8 credits of a reference server spent"],
  ] as const)("has the verdict or the cost for %j", (more, sentence) => {
    expect(textReport({ ...goodReport, ...more })).toContain(sentence);
  });
});
