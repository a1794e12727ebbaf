import type { CheckResult, Report } from "../report.ts";
import { formatReport, type ReportForm } from "../report/index.ts";
import { printableLine } from "../report/printable.ts";
import { plural } from "../report/model.ts";
import type { ReplayResult } from "./replay.ts";

export function formatReplay(result: ReplayResult, form: ReportForm): string {
  if (form === "text") return replayText(result);
  if (form === "json") return `${JSON.stringify(result, undefined, 2)}\n`;
  return formatReport(reportOf(result), form);
}

function replayText(result: ReplayResult): string {
  const { against, recorded, compared, notCompared, drift } = result;
  const lines = [
    `${compared} of ${plural(recorded, "exchange")} compared with ${against}`,
    ...notCompared.map(({ reason, count }) => `  not compared: ${count} × ${reason}`),
    "",
    drift.length === 0 ? verdictOf(result) : `Drift: ${plural(drift.length, "difference")}`,
    ...drift.flatMap(({ rule, option, what, count, places }) => [
      `  ${rule}${option === undefined ? "" : ` (option ${option})`}`,
      `    ${printableLine(what)}`,
      `    ${count} ×, ${places.join(" ")}`,
    ]),
  ];
  return `${lines.join("\n")}\n`;
}

function verdictOf({ compared }: ReplayResult): string {
  if (compared > 0) return "No drift: the deployment responds as recorded.";
  return "Nothing was compared. POST requests need --level paid.";
}

function reportOf(result: ReplayResult): Report {
  const { against, startedAt, milliseconds, operations, notCompared, drift } = result;
  const common = {
    level: "safe",
    rules: [],
    curl: undefined,
    credits: 0,
    milliseconds: 0,
  } as const;
  const checks: CheckResult[] = [
    ...drift.map(({ rule, option, what, count, places }) => ({
      ...common,
      id: `drift.${option ?? rule}`,
      title: "Responds as recorded",
      rules: rule.split(", "),
      status: "failed" as const,
      message: `${what} (${count} ×, ${places.join(" ")})`,
    })),
    ...Object.entries(operations).map(([operation, count]) => ({
      ...common,
      id: `compared.${operation}`,
      title: `${plural(count, "response")} compared`,
      status: "passed" as const,
      message: undefined,
    })),
    ...notCompared.map(({ reason, count }) => ({
      ...common,
      id: `not-compared.${reason}`,
      title: plural(count, "exchange"),
      status: "not-observable" as const,
      message: reason,
    })),
  ];
  return {
    baseUrl: against,
    level: "safe",
    startedAt,
    milliseconds,
    virtualTime: false,
    endedEarly: undefined,
    credits: { planned: 0, max: 0, spent: 0 },
    checks,
    observations: [],
    profile: { options: {}, unknown: [] },
  };
}
