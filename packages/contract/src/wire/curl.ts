import type { SentCall } from "./answer.ts";

/** How much of a body a line shows. */
const bodyCharacters = 2_000;

/** A key of the service, up to its kind. */
const keys = /\b(svc_live_|svc_test_|whsec_|spt_)[\w-]+/g;

/** The text without keys. */
export function masked(text: string): string {
  return text.replaceAll(keys, (_key, kind: string) => `${kind}…`);
}

/** A call as a line for a shell; keys are masked, and a long body is cut. */
export function curlLine({ method, url, headers, body }: SentCall): string {
  const parts = ["curl", "-i"];
  if (method !== "GET") parts.push("-X", method);
  parts.push(quoted(masked(url)));
  for (const [name, value] of Object.entries(headers)) {
    parts.push("-H", quoted(masked(`${name}: ${value}`)));
  }
  if (body !== undefined) {
    const shown = body.length > bodyCharacters ? `${body.slice(0, bodyCharacters)}…` : body;
    parts.push("-d", quoted(masked(shown)));
  }
  return parts.join(" ");
}

function quoted(text: string): string {
  return /^[\w./:@=+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
