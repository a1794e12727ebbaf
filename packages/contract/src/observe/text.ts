import { openPoints } from "../open-points.ts";
import { printableLine } from "../report/printable.ts";
import type { Finding, ObservedOption, TrafficObservation } from "./observer.ts";

export function observationText(observation: TrafficObservation): string {
  const { exchanges, unanswered, options, latency, statuses, unknown, breaks } = observation;
  const seen = options.filter(({ value }) => value !== undefined);
  const contradicting = options.filter(({ contradictions }) => contradictions.length > 0);
  const notSeen = options.filter((one) => one.value === undefined && !contradicting.includes(one));
  const answers = unanswered > 0 ? `, ${unanswered} without a response` : "";
  const blocks = [
    [`${exchanges} ${exchanges === 1 ? "exchange" : "exchanges"}${answers}`],
    [
      `Open points: ${seen.length} of ${options.length} seen`,
      ...table(
        seen.map(({ option, value, evidence }) => [
          option,
          String(value),
          openPoints.get(option)?.meaningOf(value ?? "") ?? "",
          evidence.join(" "),
        ]),
      ),
    ],
    contradicting.length > 0 && [
      "Contradicting: the traffic shows more than one value",
      ...table(
        contradicting.map(({ option, evidence, contradictions }) => [
          option,
          `${evidence.join(" ")} against ${contradictions.join(" ")}`,
        ]),
      ),
    ],
    notSeen.length > 0 && ["Not seen", `  ${notSeen.map(nameOf).join(", ")}`],
    Object.keys(latency).length > 0 && [
      "Duration of jobs that succeeded",
      ...table([
        ["size", "jobs", "p10", "p50", "p90"],
        ...Object.entries(latency).map(([size, { jobs, p10, p50, p90 }]) => [
          size,
          String(jobs),
          ...[p10, p50, p90].map((duration) => `${duration} ms`),
        ]),
      ]),
    ],
    [
      "Responses",
      ...table(
        Object.entries(statuses).map(([operation, counts]) => [
          operation,
          Object.entries(counts)
            .map(([status, count]) => `${status} × ${count}`)
            .join(", "),
        ]),
      ),
    ],
    unknown.length > 0 && ["Not in the contract", ...findings(unknown)],
    [
      breaks.length > 0
        ? `Against the contract: ${breaks.length}`
        : "Nothing is against the contract",
      ...findings(breaks),
    ],
  ];
  return `${blocks
    .filter((block) => block !== false)
    .map((block) => block.join("\n"))
    .join("\n\n")}\n`;
}

/** Names an option, with its values if the traffic excludes others: `rateHeaders (429-only or none)`. */
function nameOf({ option, possible }: ObservedOption): string {
  return possible === undefined ? option : `${option} (${possible.join(" or ")})`;
}

function findings(found: readonly Finding[]): readonly string[] {
  return table(
    found.map(({ rule, what, count, places }) => [
      printableLine(rule === undefined ? what : `${rule}: ${what}`),
      `× ${count}`,
      places.join(" "),
    ]),
  );
}

function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, cell.length);
    }
  }
  return rows.map((row) =>
    `  ${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  ")}`.trimEnd(),
  );
}
