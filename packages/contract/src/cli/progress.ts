import type { Output } from "@tryon/cli-kit";
import { wrap } from "@tryon/shared/wrap";

import type { Announcement, KeyUse } from "../contract-options.ts";
import type { CheckResult, Observation } from "../report.ts";
import { plural } from "../report/model.ts";
import { printableLine } from "../report/printable.ts";
import { failedLines, type Paint } from "../report/text.ts";

/** Moves to the start of the line and clears it. */
const emptyLine = "\r\u001B[2K";

/** @param showsFailures - If false, a failed check has no details, since the report has them. */
export function progressView(stream: Output, paint: Paint, showsFailures = true) {
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
      const text = announce(announcement, paint);
      stream.write(isTerminal ? wrap(text, stream.columns || 80) : text);
    },
    onBegin: (id: string): void => {
      begun += 1;
      current = id;
      draw();
    },
    onResult: (result: CheckResult | Observation): void => {
      if (!("status" in result)) return;
      const { id, status, message } = result;
      if (status === "failed") failed += 1;
      if (status === "failed" && showsFailures) {
        const width = stream.columns || 80;
        const text = failedLines(result, paint, width).join("\n");
        stream.write(isTerminal ? `${emptyLine}${wrap(text, width)}\n` : `${text}\n`);
        draw();
      } else if (!isTerminal) {
        const isReported = message === undefined || status === "failed";
        const reason = isReported ? "" : `  ${printableLine(message)}`;
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
