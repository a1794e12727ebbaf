import { printable } from "@tryon/shared/printable";
import { assert, property, string } from "fast-check";
import { describe, expect, test } from "vitest";

import { cutReport, goodReport, sampleReport } from "../../test/sample-report.ts";
import { formatReport, reportForms } from "./index.ts";
import type { JsonReport } from "./json.ts";
import { printableLine } from "./printable.ts";
import { paintWith, textReport } from "./text.ts";

describe("the HTML report", () => {
  const page = formatReport(sampleReport, "html");

  test("loads nothing, and its policy forbids loading", () => {
    expect(page).toContain("default-src 'none'; style-src 'sha256-");
    const loading = /<(?:link|script|img|iframe|object)[^>]*(?:src|href)="([^"]*)"/g;
    expect([...page.matchAll(loading)].map(([, url]) => url)).toEqual(["data:,"]);
    expect(page).not.toMatch(/url\(|@import|<[^>]+ style=|<[^>]+ on\w+=/);
  });

  test("shows text of a deployment without running it", () => {
    expect(page).not.toContain("<img");
    expect(page).toContain("&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;");
    expect(page.replaceAll("\n", "")).not.toMatch(/\p{C}/u);
  });

  test("starts with the verdict, and opens the failed checks", () => {
    expect(page).toContain("<h1>The deployment fails 2 checks.</h1>");
    expect([...page.matchAll(/<details class="failed"[^>]* open>/g)]).toHaveLength(2);
    expect(page).toContain("--webhook-port of this machine.");
    expect(formatReport(goodReport, "html")).toContain('<header class="good">');
    expect(page).toContain(
      '<details class="observed" data-status="observed" id="list-query.limit">',
    );
  });
});

describe("the report of a run that ended early", () => {
  const why = "it took 600 s, its maximum (--max-time)";
  const verdict = `The run ended early: ${why}. The deployment fails 2 checks so far.`;
  const notRun = ["webhooks.redirect", "webhooks.resend", "observe.readLag"];

  test("says so and why in its headline, and lists what was not run, in every form", () => {
    const page = formatReport(cutReport, "html");
    expect(page).toContain(`<h1>${verdict}</h1>`);
    expect(page).toContain(`<title>${verdict} https:`);
    expect(page).toMatch(/<h2>Not run<\/h2>[^]*<b>2<\/b><span>webhooks: <code>webhooks\.redirect</);
    expect(JSON.parse(formatReport(cutReport, "json"))).toMatchObject({
      verdict,
      complete: false,
      ended_early: { cause: "max-time", message: why, not_run: notRun },
    });
    const xml = formatReport(cutReport, "junit");
    expect(xml).toMatch(/<testsuites name="tryon-contract https:\S+ \(ended early: it took 600 s/);
    expect(xml).toContain(`<property name="verdict" value="${verdict}"/>`);
    expect(xml).toContain(`<property name="not_run" value="${notRun.join(" ")}"/>`);
    expect(formatReport(cutReport, "text")).toContain(verdict);
  });

  test("is never that of a deployment that passes", () => {
    const good = { ...goodReport, endedEarly: cutReport.endedEarly };
    for (const form of reportForms) {
      expect(formatReport(good, form)).not.toContain("The deployment passes");
      expect(formatReport(good, form)).toContain("No check has failed so far.");
    }
    expect(formatReport(good, "html")).toContain('<header class="open">');
    expect(textReport(good, paintWith(true))).not.toContain("\u001B[32mThe run");
  });
});

describe("the JSON report", () => {
  // The report was written as this type says.
  const report = JSON.parse(formatReport(sampleReport, "json")) as JsonReport;

  test("has the documented format, version and fields", () => {
    expect(report).toMatchObject({
      format: "tryon-contract",
      format_version: 1,
      base_url: sampleReport.baseUrl,
      level: "paid",
      duration_ms: 83_210,
      verdict: "The deployment fails 2 checks.",
      complete: true,
      ended_early: null,
      credits: { planned: 64, max: 50, spent: 44 },
      summary: {
        passed: 15,
        failed: 2,
        not_observable: 5,
        observed: 38,
        unknown: 2,
        open: 2,
        differing: 1,
      },
      profile: sampleReport.profile,
    });
    const fields = "id title rules level status message curl credits duration_ms";
    for (const check of report.checks) expect(Object.keys(check)).toEqual(fields.split(" "));
    const seen = "id option title rules value meaning message deviations";
    for (const one of report.observations) expect(Object.keys(one)).toEqual(seen.split(" "));
  });

  test("has null for missing values", () => {
    expect(report.checks[0]).toMatchObject({ status: "passed", message: null, curl: null });
    expect(report.observations.find(({ option }) => option === "readLag")).toMatchObject({
      value: null,
      meaning: null,
      message: "This run could not tell.",
    });
    const free = { ...sampleReport, credits: { planned: 0, max: Infinity, spent: 0 } };
    expect(JSON.parse(formatReport(free, "json"))).toMatchObject({ credits: { max: null } });
  });
});

describe("the JUnit report", () => {
  const xml = formatReport(sampleReport, "junit");

  function count(pattern: RegExp): number {
    return [...xml.matchAll(pattern)].length;
  }

  test("has a test case for each check, in a suite for its area", () => {
    expect(xml).toMatch(
      /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites name="tryon-contract https:[^"]+" tests="24" failures="2" errors="0" skipped="5" time="83\.210">/,
    );
    expect(xml).toContain(
      '<testsuite name="idempotency" tests="4" failures="1" errors="0" skipped="0" time="0.048" timestamp="2026-03-01T12:34:56Z">',
    );
    expect(count(/<testcase /g)).toBe(24);
    expect(count(/<system-out>/g)).toBe(2);
    expect(xml).toMatch(/list-query\.limit.*\n<system-out>Expected 422/);
    expect(count(/<failure /g)).toBe(2);
    expect(count(/<skipped message="[^"]+"\/>/g)).toBe(5);
  });

  test("has each observation once", () => {
    expect(
      count(/<property name="observed\.refund" value="failed-except-content-blocked"\/>/g),
    ).toBe(1);
    expect(count(/<property name="observed\./g)).toBe(40);
  });

  test("has only characters of XML, whatever a deployment sends", () => {
    const allowed = /^(?:[\t\n\r -\uD7FF\uE000-\uFFFD]|[\u{10000}-\u{10FFFF}])*$/u;
    assert(
      property(string({ unit: "binary", maxLength: 40 }), (text) => {
        const checks = sampleReport.checks.map((check) => ({
          ...check,
          message: text,
          curl: text,
        }));
        const written = formatReport({ ...sampleReport, baseUrl: text, checks }, "junit");
        expect(written).toMatch(allowed);
        expect(written.replaceAll(/<[^<>]*>|&(?:amp|lt|gt|quot|#9|#10);/g, "")).not.toMatch(
          /[<>&]/,
        );
      }),
      { numRuns: 50 },
    );
  });
});

describe("the text of a report", () => {
  test.each([
    ["\u001B[2Jgone", String.raw`\u001b[2Jgone`],
    ["a\u0000b\u007Fc", String.raw`a\u0000b\u007fc`],
    ["\u202Eback", String.raw`\u202eback`],
    ["\uD800", String.raw`\ud800`],
    ["\u{E0001}", String.raw`\u{e0001}`],
    ["a\rb", String.raw`a\u000db`],
    ["tab\tand\nline, é, 日本, 🧥, 👩‍🦰", "tab\tand\nline, é, 日本, 🧥, 👩‍🦰"],
  ])("%j can be shown to people: %s", (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  test("a line is one line", () => {
    expect(printableLine(" a\n  b\tc ")).toBe("a b c");
  });
});
