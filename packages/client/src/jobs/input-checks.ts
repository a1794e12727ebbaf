import type { Fields } from "../api/canonical-fields.ts";
import { checkFields, checkNames, checkUrl } from "../api/check-fields.ts";
import { inputIssue, type Finding, type InputIssue, type Note } from "../errors/input-issue.ts";

export { isImpossible } from "../errors/input-issue.ts";
export { checkImage } from "../images/check-image.ts";

/** Fields of an input, without its images. */
export interface GivenFields {
  readonly rest: Fields;
  readonly extra: unknown;
  readonly canonical: Fields;
  readonly urls: readonly (readonly [field: string, url: unknown])[];
}

/** Checks the names of the fields of an input, and all values but images. */
export function checkInput({ rest, extra, canonical, urls }: GivenFields, note: Note): void {
  checkNames(rest, extra, note);
  for (const [field, url] of urls) checkUrl(url, field, note);
  try {
    checkFields(canonical, note);
  } catch {
    // It cannot be written as JSON, which is an issue already.
  }
}

export function issuesOf(findings: readonly Finding[]): InputIssue[] {
  return findings.map((finding) => inputIssue(...finding));
}
