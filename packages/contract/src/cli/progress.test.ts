import { describe, expect, test } from "vitest";

import type { CheckResult } from "../report.ts";
import { stream } from "../../test/command.ts";
import { sampleReport } from "../../test/sample-report.ts";
import { paintWith } from "../report/text.ts";
import { progressView } from "./progress.ts";

const announcement = {
  baseUrl: "https://a.example",
  level: "safe",
  checks: 20,
  probes: 4,
  keys: [],
  credits: { planned: 0, max: 50 },
  reference: false,
  virtualTime: false,
  webhooks: false,
} as const;

function follow(isTTY: boolean): string {
  const out = stream(isTTY);
  const view = progressView(out, paintWith(false));
  view.onPlan(announcement);
  for (const check of sampleReport.checks) {
    view.onBegin(check.id);
    view.onResult(check);
  }
  for (const observation of sampleReport.observations) view.onResult(observation);
  view.end();
  return out.text;
}

/** Returns the lines on the terminal at the end, without cleared ones. */
function screen(text: string): string {
  return text
    .split("\n")
    .map((line) => line.split("\r\u001B[2K").at(-1))
    .join("\n");
}

const failed = sampleReport.checks.filter(({ status }) => status === "failed");

describe("the progress of a run", () => {
  test("is one line on a terminal, with failures as they come, and is gone in the end", () => {
    const text = follow(true);
    expect(text).toContain("1/24 authentication.missing-key");
    expect(text).toMatch(/\r\S*18\/24 2 failed /);
    const left = screen(text);
    for (const { id } of failed) expect(left).toContain(`✗ ${id}`);
    expect(left).not.toContain("authentication.missing-key");
    expect(left.endsWith("\n")).toBe(true);
  });

  test("never wraps that line", () => {
    const drawn = follow(true)
      .split("\n")
      .flatMap((line) => line.split("\r\u001B[2K"));
    expect(drawn.filter((line) => /^\d+\/24 /.test(line) && line.length > 59)).toEqual([]);
  });

  test("is a plain line for each result elsewhere", () => {
    const text = follow(false);
    expect(text.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
    const lines = text.split("\n");
    const line = ({ id, status }: CheckResult): boolean =>
      lines.some(
        (one) =>
          one.includes(id) && (status === "failed" || one.includes(status.replace("-", " "))),
      );
    expect(sampleReport.checks.filter((check) => !line(check))).toEqual([]);
    expect(text).toContain(
      "  not observable authentication.flagged-key  It takes a key of an account that was flagged",
    );
  });
});
