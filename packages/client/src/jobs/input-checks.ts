import type { Fields } from "../api/canonical-fields.ts";
import { checkFields, checkNames, checkUrl } from "../api/check-fields.ts";
import { inputIssue, type Finding, type InputIssue, type Note } from "../errors/input-issue.ts";

export { isImpossible } from "../errors/input-issue.ts";
import { checkImage } from "../images/check-image.ts";
import type { ImageSource } from "../images/image-source.ts";

export { checkImage };
export { readOnce } from "../images/read-once.ts";

export interface GivenFields {
  readonly rest: Fields;
  readonly extra: unknown;
  readonly canonical: Fields;
  readonly urls: readonly (readonly [field: string, url: unknown])[];
}

interface ValidatedInput {
  readonly images: readonly ImageSource[];
  readonly findings: Finding[];
  readonly given: GivenFields;
}

/** Checks the names of the fields of an input, and all values but images. */
export function checkInput(
  { rest, extra, canonical, urls }: GivenFields,
  note: Note,
  describePath: (value: unknown) => string,
): void {
  checkNames(rest, extra, note);
  for (const [field, url] of urls) checkUrl(url, field, note, describePath);
  try {
    checkFields(canonical, note, describePath);
  } catch {
    // It cannot be written as JSON, which is an issue already.
  }
}

export function issuesOf(findings: readonly Finding[]): InputIssue[] {
  return findings.map((finding) => inputIssue(...finding));
}

export async function validateParsed(
  { images, findings, given }: ValidatedInput,
  describePath: (value: unknown) => string,
): Promise<readonly InputIssue[]> {
  const note: Note = (...finding) => void findings.push(finding);
  checkInput(given, note, describePath);
  for (const { field, content } of images) {
    // Images that can be read only once have no slices.
    if (typeof content === "string" || "slice" in content)
      await checkImage({ field, content }, note);
  }
  return issuesOf(findings);
}
