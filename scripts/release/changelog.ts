/** What a changelog says of one version, without its heading; `undefined` where it does not name the version. */
export function notesOf(changelog: string, version: string): string | undefined {
  const lines = changelog.split("\n");
  const start = lines.indexOf(`## ${version}`);
  if (start === -1) return undefined;
  const end = lines.findIndex((line, index) => index > start && line.startsWith("## "));
  const notes = lines
    .slice(start + 1, end === -1 ? undefined : end)
    .join("\n")
    .trim();
  return notes === "" ? undefined : notes;
}
