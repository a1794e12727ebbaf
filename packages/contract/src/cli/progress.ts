import type { Output } from "@tryon/command-line";

import type { Announcement, KeyUse } from "../contract-options.ts";
import type { CheckResult, Observation } from "../report.ts";
import { plural } from "../report/model.ts";
import { printableLine } from "../report/printable.ts";
import { failedLines, type Paint } from "../report/text.ts";

/** Moves to the start of the line and clears it. */
const emptyLine = "\r\u001B[2K";

export function progressView(stream: Output, paint: Paint) {
  const isTerminal = stream.isTTY === true;
  let all = 0;
  let begun = 0;
  let failed = 0;
  let current = "";
  const draw = (): void => {
    if (!isTerminal) return;
    // Some terminals report a width of 0.
    const width = stream.columns || 80;
    const line = `${begun}/${all} ${failed === 0 ? "" : `${failed} failed `}${current}`;
    // A longer line would wrap, and could not be cleared.
    stream.write(`${emptyLine}${paint.dim(line.slice(0, width - 1))}`);
  };
  return {
    onPlan: (announcement: Announcement): void => {
      all = announcement.checks + announcement.probes;
      stream.write(announce(announcement, paint));
    },
    onBegin: (id: string): void => {
      begun += 1;
      current = id;
      draw();
    },
    onResult: (result: CheckResult | Observation): void => {
      if (!("status" in result)) return;
      const { id, status, message } = result;
      if (status === "failed") {
        failed += 1;
        const lines = failedLines(result, paint, stream.columns || 100);
        stream.write(`${isTerminal ? emptyLine : ""}${lines.join("\n")}\n`);
        draw();
      } else if (!isTerminal) {
        const reason = message === undefined ? "" : `  ${printableLine(message)}`;
        stream.write(`  ${status.replace("-", " ").padEnd(14)} ${id}${reason}\n`);
      }
    },
    end: (): void => {
      if (isTerminal) stream.write(emptyLine);
    },
  };
}

function announce(announcement: Announcement, paint: Paint): string {
  const { baseUrl, level, checks, probes, keys, virtualTime, webhooks } = announcement;
  const work = `level ${level}: ${plural(checks, "check")}, ${plural(probes, "open point")}`;
  const lines = [
    paint.bold(`Checking ${printableLine(baseUrl)}`),
    `  ${work}`,
    `  keys: ${keys.map(keyWords).join(", ")}`,
    `  ${spending(announcement)}`,
    `  time is ${virtualTime ? "virtual" : "real"}; webhooks ${webhooks ? "arrive on this machine" : "are not checked (use --webhook-url)"}`,
  ];
  return `${lines.join("\n")}\n\n`;
}

const purposes: Readonly<Record<KeyUse["name"], string>> = {
  live: "live",
  test: "test",
  stranger: "another account's",
  disabled: "disabled",
  flagged: "flagged",
};

function keyWords({ name, kind, made }: KeyUse): string {
  const kinds = name === "live" || name === "test" ? [] : [kind];
  return `${purposes[name]} (${[...kinds, made ? "created for this run" : "yours"].join(", ")})`;
}

function spending({ credits: { planned, max }, keys, reference }: Announcement): string {
  const live = keys.some(({ kind }) => kind === "live");
  if (!live) return "spends nothing: no key is live";
  const bound = Math.min(planned, max);
  if (bound === 0) return "spends nothing: all checks are free";
  const where = reference ? " of a reference server, which cost nothing" : "";
  const left = planned > max ? `; all checks would take ${planned}, so some may not run` : "";
  return `spends at most ${plural(bound, "credit")}${where}${left}`;
}
