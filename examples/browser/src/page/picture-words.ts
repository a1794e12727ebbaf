import type { InputIssue, InputIssueCode } from "@tryon/client";

const kinds = "Choose a JPEG, PNG, WebP, AVIF or HEIC.";

const words: { readonly [Code in InputIssueCode]?: (name: string, issue: InputIssue) => string } = {
  empty: (name) => `${name} is empty. Choose another file.`,
  not_an_image: (name) => `${name} is no picture, whatever its name says. ${kinds}`,
  unknown_image: (name) => `${name} is no picture that we know. ${kinds}`,
  too_large: (name, { bound }) =>
    `${name} is too big: up to ${Math.floor((bound ?? 0) / 1_000_000)} MB. Choose a smaller one.`,
  unreadable: (name) => `${name} could not be read. Was it moved? Choose it again.`,
};

/** Says to visitors why a file cannot be tried on. */
export function pictureWords(name: string, issue: InputIssue): string {
  const say = words[issue.code];
  return say?.(`“${name}”`, issue) ?? `“${name}” cannot be used. ${kinds}`;
}
