import type { Output } from "@tryon/command-line";

import type { Announcement } from "../announcement.ts";
import type { CheckResult, Observation } from "../report.ts";
import type { Paint } from "../report/paint.ts";
import { printableLine } from "../report/printable.ts";
import { failedLines } from "../report/text.ts";

/** Prints the progress of a run. */
export interface ProgressView {
  plan(announcement: Announcement): void;
  begin(id: string): void;
  result(result: CheckResult | Observation): void;
  /** Removes the progress line. */
  end(): void;
}

/** Prints one updated line and the failures on a terminal, and one line per result elsewhere. */
export function progressView(stream: Output, paint: Paint): ProgressView {
  return stream.isTTY === true ? updatedView(stream, paint) : plainView(stream, paint);
}

export const silentView: ProgressView = {
  plan: () => undefined,
  begin: () => undefined,
  result: () => undefined,
  end: () => undefined,
};

function plainView(stream: Output, paint: Paint): ProgressView {
  return {
    ...silentView,
    result(result) {
      if (!("status" in result)) return;
      const message = result.message === undefined ? "" : `  ${printableLine(result.message)}`;
      const lines =
        result.status === "failed"
          ? failedLines(result, paint)
          : [`  ${result.status.replace("-", " ").padEnd(14)} ${result.id}${message}`];
      stream.write(`${lines.join("\n")}\n`);
    },
  };
}

/** Moves to the start of the line and clears it. */
const emptyLine = "\r\u001B[2K";

function updatedView(stream: Output, paint: Paint): ProgressView {
  let all = 0;
  let begun = 0;
  let failed = 0;
  let current = "";
  const draw = (): void => {
    const done = `${begun}/${all}`;
    // Some terminals report a width of 0.
    const width = (stream.columns ?? 0) > 0 ? (stream.columns ?? 0) : 80;
    const line = `${done} ${failed === 0 ? "" : `${failed} failed `}${current}`;
    // A longer line would wrap, and could not be cleared.
    stream.write(`${emptyLine}${paint.dim(line.slice(0, width - 1))}`);
  };
  return {
    plan({ checks, probes }) {
      all = checks + probes;
    },
    begin(id) {
      begun += 1;
      current = id;
      draw();
    },
    result(result) {
      if (!("status" in result) || result.status !== "failed") return;
      failed += 1;
      stream.write(`${emptyLine}${failedLines(result, paint).join("\n")}\n`);
      draw();
    },
    end() {
      stream.write(emptyLine);
    },
  };
}
