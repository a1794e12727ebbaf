import type { Report } from "../report.ts";
import { htmlReport } from "./html.ts";
import { jsonReport } from "./json.ts";
import { junitReport } from "./junit.ts";
import { textReport } from "./text.ts";

/** Forms of a report. */
export const reportForms = ["text", "junit", "json", "html"] as const;
/**
 * Form of a report.
 *
 * @useDeclaredType
 */
export type ReportForm = (typeof reportForms)[number];

/**
 * Writes a report in one of its forms.
 *
 * @example
 * ```ts
 * await writeFile("contract.html", formatReport(report, "html"));
 * ```
 */
export function formatReport(report: Report, form: ReportForm): string {
  const writers = { text: textReport, junit: junitReport, json: jsonReport, html: htmlReport };
  return writers[form](report);
}
