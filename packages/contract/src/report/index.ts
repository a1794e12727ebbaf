import type { Report } from "../report.ts";
import { htmlReport } from "./html.ts";
import { jsonReport } from "./json.ts";
import { junitReport } from "./junit.ts";
import { textReport } from "./text.ts";

/** The forms in which a report can be had. */
export const reportForms = ["text", "junit", "json", "html"] as const;
/**
 * A form in which a report can be had.
 *
 * @useDeclaredType
 */
export type ReportForm = (typeof reportForms)[number];

const writers: Readonly<Record<ReportForm, (report: Report) => string>> = {
  text: (report) => textReport(report),
  junit: junitReport,
  json: jsonReport,
  html: htmlReport,
};

/**
 * Writes a report in one of its forms.
 *
 * @example
 * ```ts
 * await writeFile("contract.html", formatReport(report, "html"));
 * ```
 */
export function formatReport(report: Report, form: ReportForm): string {
  return writers[form](report);
}
