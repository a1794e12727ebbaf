import { assert, property, string } from "fast-check";
import { expect, test } from "vitest";

import { sampleReport } from "../../test/sample-report.ts";
import { formatReport } from "./index.ts";

const xml = formatReport(sampleReport, "junit");

function count(pattern: RegExp): number {
  return [...xml.matchAll(pattern)].length;
}

test("has a test case for each check, in a suite for its area", () => {
  expect(xml).toMatch(
    /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites name="tryon-contract https:[^"]+" tests="22" failures="2" errors="0" skipped="5" time="83\.210">/,
  );
  expect(xml).toContain(
    '<testsuite name="idempotency" tests="4" failures="1" errors="0" skipped="0" time="0.048" timestamp="2026-03-01T12:34:56Z">',
  );
  expect(count(/<testcase /g)).toBe(22);
  expect(count(/<failure /g)).toBe(2);
  expect(count(/<skipped message="[^"]+"\/>/g)).toBe(5);
});

test("has each observation once", () => {
  expect(count(/<property name="observed\.refund" value="failed-except-content-blocked"\/>/g)).toBe(
    1,
  );
  expect(count(/<property name="observed\./g)).toBe(24);
});

test("is valid XML, whatever a deployment sends", () => {
  const allowed = /^(?:[\t\n\r -\uD7FF\uE000-\uFFFD]|[\u{10000}-\u{10FFFF}])*$/u;
  const element =
    /^<(?:\?xml version="1\.0" encoding="UTF-8"\?|\/\w+|\w+(?: \w+="(?:[^<>&"\n]|&(?:amp|lt|gt|quot|#9|#10);)*")*\/?)>/;
  assert(
    property(string({ unit: "binary", maxLength: 40 }), (said) => {
      const checks = sampleReport.checks.map((check) => ({ ...check, message: said, curl: said }));
      const written = formatReport({ ...sampleReport, baseUrl: said, checks }, "junit");
      expect(written).toMatch(allowed);
      // Element by element, with text between them that has no mark-up in it.
      let rest = written;
      while (rest !== "") {
        const found =
          element.exec(rest)?.[0] ?? /^(?:[^<>&]|&(?:amp|lt|gt|quot|#9);)+/.exec(rest)?.[0];
        if (found === undefined) throw new Error(`No XML: ${JSON.stringify(rest.slice(0, 200))}`);
        rest = rest.slice(found.length);
      }
    }),
    { numRuns: 50 },
  );
});
