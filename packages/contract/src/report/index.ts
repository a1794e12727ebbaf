import { unknownName } from "@tryon/shared/options";

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
 * @throws TypeError for an unknown form.
 * @example
 * ```ts
 * await writeFile("contract.html", formatReport(report, "html"));
 * ```
 */
export function formatReport(report: Report, form: ReportForm): string {
  if (!reportForms.includes(form)) throw unknownName("a form of a report", form, reportForms);
  const writers = { text: textReport, junit: junitReport, json: jsonReport, html: htmlReport };
  return writers[form](report);
}
