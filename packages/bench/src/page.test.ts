import { describe, expect, test } from "vitest";

import { benchmarkPage, benchmarkText, verdict } from "./page.ts";
import type { Findings, Subject } from "./subject.ts";

const findings: Findings = {
  rows: [
    { what: "ours", unit: "calls a second", figures: [12_000, 9_000, 10_000.4] },
    { what: "start", unit: "ms", figures: [3.14159] },
    { what: "a|b", unit: "times", figures: [], note: "could not\nbe had" },
  ],
  tables: [{ head: ["", "figure", "other"], lines: [["each|one", "1", "2,000"]] }],
  remarks: ["It is bounded by the load."],
};

const subject: Subject = {
  name: "a",
  title: "A subject",
  how: "By counting.",
  goals: [
    { row: "ours", kind: "at least", bound: 10_000 },
    { row: "start", kind: "at most", bound: 3 },
  ],
  measure: () => Promise.resolve(findings),
};

const page = benchmarkPage([{ subject, findings }], {
  cores: 2,
  node: "24",
  system: "Linux",
  load: 1.25,
});

describe("the page", () => {
  test("says where it comes from, and on what it was measured", () => {
    expect(page.split("\n", 1)[0]).toContain("npm run bench -- --write");
    expect(page).toContain("on 2 cores under Linux with Node 24; ");
    expect(page).toContain("a load of 1.3 on them");
  });

  test("gives median, ends and number of runs with their unit", () => {
    expect(page).toContain(
      "| ours | 10,000 calls a second | 9,000 calls a second | 12,000 calls a second | 3 |",
    );
    expect(page).toContain("| start | 3.14 ms | 3.14 ms | 3.14 ms | 1 |");
  });

  test("has further tables before that of the spreads", () => {
    expect(page).toContain(
      "\n\n| | figure | other |\n| --- | ---: | ---: |\n| each\\|one | 1 | 2,000 |\n\n| | median |",
    );
  });

  test("says why something could not be measured, on one line of the table", () => {
    expect(page).toContain("| a\\|b | could not be had |  |  | 0 |");
  });

  test("says how, the goals and what bounds them", () => {
    expect(page).toContain("## A subject\n\nBy counting.\n\n| |");
    expect(page).toContain(
      "\n\nGoal: ours, at least 10,000 calls a second. It is met: the median is 10,000 calls a second.\n\nGoal: start, at most 3 ms. It is missed: the median is 3.14 ms.\n\nIt is bounded by the load.\n",
    );
  });
});

test("the text for a terminal has the same figures and the goals", () => {
  const text = benchmarkText({ subject, findings });
  expect(text).toContain("  each|one  1  2,000\n  ours  10,000 calls a second  9,000");
  expect(text).toContain("It is met");
  expect(text).toContain("It is missed");
});

describe("a goal", () => {
  test.each([
    ["at least", 10_001, "missed"],
    ["at most", 10_001, "met"],
    ["at most", 9_999, "missed"],
  ] as const)("of %s %d is %s", (kind, bound, outcome) => {
    expect(verdict({ row: "ours", kind, bound }, findings)).toContain(`It is ${outcome}:`);
  });

  test("that could not be measured is neither met nor missed", () => {
    expect(verdict({ row: "a|b", kind: "at least", bound: 2 }, findings)).toContain(
      "It could not be measured.",
    );
  });
});
