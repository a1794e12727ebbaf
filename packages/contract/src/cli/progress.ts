import type { Announcement } from "../announcement.ts";
import type { CheckResult, Observation } from "../report.ts";
import type { Paint } from "../report/paint.ts";
import { printableLine } from "../report/printable.ts";
import { brokenLines } from "../report/text.ts";
import type { Stream } from "./screen.ts";

/** Shows a run as it goes on. */
export interface ProgressView {
  plan(announcement: Announcement): void;
  begin(id: string): void;
  result(result: CheckResult | Observation): void;
  /** Takes away what was only for the time of the run. */
  end(): void;
}

/** On a terminal one line that lives, with failures as they come; elsewhere a line for each result. */
export function progressView(stream: Stream, paint: Paint): ProgressView {
  return stream.isTTY === true ? liveView(stream, paint) : plainView(stream, paint);
}

export const silentView: ProgressView = {
  plan: () => undefined,
  begin: () => undefined,
  result: () => undefined,
  end: () => undefined,
};

function plainView(stream: Stream, paint: Paint): ProgressView {
  return {
    ...silentView,
    result(result) {
      if (!("status" in result)) return;
      const message = result.message === undefined ? "" : `  ${printableLine(result.message)}`;
      const lines =
        result.status === "broken"
          ? brokenLines(result, paint)
          : [`  ${result.status.padEnd(7)} ${result.id}${message}`];
      stream.write(`${lines.join("\n")}\n`);
    },
  };
}

/** Goes to the beginning of the line and empties it. */
const emptyLine = "\r\u001B[2K";

function liveView(stream: Stream, paint: Paint): ProgressView {
  let all = 0;
  let begun = 0;
  let broken = 0;
  let current = "";
  const draw = (): void => {
    const done = `${begun}/${all}`;
    // A terminal that does not know its width says 0.
    const width = (stream.columns ?? 0) > 0 ? (stream.columns ?? 0) : 80;
    const line = `${done} ${broken === 0 ? "" : `${broken} broken `}${current}`;
    // A line that is too long would wrap, and could not be taken away again.
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
      if (!("status" in result) || result.status !== "broken") return;
      broken += 1;
      stream.write(`${emptyLine}${brokenLines(result, paint).join("\n")}\n`);
      draw();
    },
    end() {
      stream.write(emptyLine);
    },
  };
}
