import { describe, expect, test } from "vitest";

import { goodReport, nasty, sampleReport } from "../../test/sample-report.ts";
import { colours } from "./paint.ts";
import { textReport } from "./text.ts";

describe("the text of a report", () => {
  const text = textReport(sampleReport);

  test("tells broken, observed, explained and skipped apart, and ends with the verdict", () => {
    const heads = text.split("\n").filter((line) => /^\S/.test(line));
    expect(heads.map((line) => line.split(/[:.]/)[0])).toEqual([
      "Observed",
      "Explained",
      "Skipped",
      "Broken",
      "The contract is broken in 2 points",
    ]);
    expect(text).toContain("15 kept · 2 broken · 5 skipped · 22 of 24 observed");
    expect(text).toContain("level paid · 83 s · 44 of at most 50 credits spent");
  });

  test("says of a broken check what it claims, what came, its rules, and how to see it", () => {
    expect(text).toContain(
      [
        "  ✗ idempotency.replay.charges-nothing",
        "    should The same call with the same idempotency key is charged once",
        "    but    The second call took 8 more credits; it should have taken none.",
        "    rules  idempotency.replay.charges-nothing.rule, auth.bearer.header",
        "    see    curl -i -X POST https://tryon.example/api/v1/tryon -H 'authorization: Bearer svc_test_…'",
      ].join("\n"),
    );
  });

  test("says of an observation its option, its value and what that means", () => {
    expect(text).toMatch(/^ {2}timeFormat +naive +times have no zone; they are UTC$/m);
    expect(text).toMatch(/^ {2}readLag +\? +This run could not tell\.$/m);
    expect(text).toMatch(/^ {2}times that do not end in Z {2}\(timeFormat = naive\)$/m);
  });

  test("groups what was skipped by what would make it visible", () => {
    expect(text).toMatch(/^ {4}3 × The deployment has to reach the kit .*--webhook-port/m);
    expect(text).toContain("webhooks.schedule, webhooks.redirect, webhooks.resend");
  });

  test("is brief when asked to be", () => {
    const brief = textReport(sampleReport, { brief: true });
    expect(brief).toContain("✗ validation.field-names");
    expect(brief).not.toMatch(/Observed|Skipped/);
    expect(textReport(goodReport, { brief: true }).trim().split("\n")).toHaveLength(3);
  });

  test("never hands the terminal what a deployment wrote for it", () => {
    expect(nasty).toMatch(/\p{C}/u);
    expect(text).toMatch(/^[^\p{Cc}\p{Cs}\p{Cf}]*$/mu);
    expect(text.replaceAll("\n", "")).not.toMatch(/\p{C}/u);
    expect(textReport(sampleReport, { paint: colours })).toContain("\u001B[31m");
  });

  test.each([
    [{ complete: false }, "The run was ended early; what it came to is kept."],
    [{ checks: [] }, "Nothing was looked at, so nothing is known."],
    [{}, "The contract is kept."],
    [
      { credits: { planned: 0, most: Infinity, spent: 8 } },
      "8 credits of a reference server spent",
    ],
  ])("says what %j comes to", (more, sentence) => {
    expect(textReport({ ...goodReport, ...more })).toContain(sentence);
  });
});
