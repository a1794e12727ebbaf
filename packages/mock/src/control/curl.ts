import { shortenedMark, type Exchange } from "./exchange.ts";
import type { JournalEntry } from "./journal-entry.ts";

const automatic = /^(host|connection|content-length|accept-encoding|transfer-encoding|sec-.*)$/;

export function curlCommand(
  { method, path, query, apiKey }: JournalEntry,
  { origin, request }: Exchange,
): string {
  const url = `${origin}${path}${query === "" ? "" : `?${query}`}`;
  const parts = [`curl ${method === "HEAD" ? "-I" : `-X ${method}`} ${quoted(url)}`];
  for (const [name, value] of Object.entries(request.headers)) {
    if (automatic.test(name)) continue;
    // Double quotes, so that the shell inserts the variable.
    const isKey = name === "authorization" && apiKey !== null;
    parts.push(
      isKey ? '-H "Authorization: Bearer $TRYON_API_KEY"' : `-H ${quoted(`${name}: ${value}`)}`,
    );
  }
  if (request.body !== null) parts.push(`--data-raw ${quoted(request.body)}`);
  return noteOn(request.body ?? "") + parts.join(" \\\n  ");
}

function noteOn(body: string): string {
  if (body.endsWith(shortenedMark)) return "# Complete the body: only its beginning is kept.\n";
  if (/<\d+ characters>/.test(body)) return "# Put the images back in, which are not kept.\n";
  return "";
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
