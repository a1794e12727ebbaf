import type { SentRequest } from "./response.ts";
import type { Redactor } from "./redactor.ts";

/** Maximum length of the body. */
const bodyCharacters = 2_000;

/** Writes a request as a line for a shell. Redacts keys, and cuts a long body. */
export function curlLine({ method, url, headers, body }: SentRequest, redactor: Redactor): string {
  const parts = ["curl", "-i"];
  if (method !== "GET") parts.push("-X", method);
  parts.push(quoted(redactor.redact(url)));
  for (const [name, value] of Object.entries(headers)) {
    parts.push("-H", quoted(redactor.redact(`${name}: ${value}`)));
  }
  if (body !== undefined) parts.push("-d", quoted(redactor.redactStart(body, bodyCharacters)));
  return parts.join(" ");
}

function quoted(text: string): string {
  return /^[\w./:@=+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
