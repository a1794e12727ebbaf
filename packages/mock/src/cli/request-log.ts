import type { DefaultKeys } from "../default-keys.ts";
import type { JournalEntry } from "../control/journal-entry.ts";
import { maskKey } from "../control/masking.ts";
import { journalEntryView } from "../control/routes/views.ts";
import type { LogFormat } from "./program.ts";

const maxReason = 160;

const widths = { target: 28, status: 6, duration: 8, key: 7 } as const;

export function requestLine(
  format: Exclude<LogFormat, "none">,
  { keys, colors }: { readonly keys: DefaultKeys; readonly colors: boolean },
): (entry: JournalEntry) => string {
  if (format === "json") return jsonLine;
  const aliases = new Map(Object.entries(keys).map(([alias, token]) => [maskKey(token), alias]));
  return (entry) => {
    const { method, path, status, durationMs, apiKey, jobId } = entry;
    const query = hideSignature(entry.query);
    const target = `${method.padEnd(4)} ${path}${query === "" ? "" : `?${query}`}`;
    const statusText = String(status ?? "broken").padEnd(widths.status);
    const key = apiKey === null ? "no key" : (aliases.get(apiKey) ?? apiKey);
    const columns = [
      new Date(entry.at).toISOString().slice(11),
      target.padEnd(widths.target),
      colors ? colored(statusText, status) : statusText,
      `${durationMs ?? 0} ms`.padStart(widths.duration),
      key.replaceAll(controls, "·").padEnd(widths.key),
      jobId ?? "",
      reasonOf(entry).replaceAll(controls, "·"),
    ];
    return `${columns.filter(Boolean).join("  ").trimEnd()}\n`;
  };
}

/** Control characters, with which input of callers could control the terminal. */
// oxlint-disable-next-line no-control-regex -- it finds them.
const controls = /[\u0000-\u001F\u007F-\u009F]/g;

function jsonLine(entry: JournalEntry): string {
  const { submission: _, ...view } = journalEntryView(entry);
  return `${JSON.stringify({ ...view, query: hideSignature(entry.query) })}\n`;
}

/** Hides the signature of an image's URL, which gives access to the image. */
function hideSignature(query: string): string {
  return query.replaceAll(/(signature=)[^&]+/g, "$1…");
}

function reasonOf({ faultIds, replayed, refusal }: JournalEntry): string {
  const detail = refusal?.detail ?? "";
  const text = detail.length > maxReason ? `${detail.slice(0, maxReason)}…` : detail;
  const parts = [faultIds.join(", "), replayed ? "replayed" : "", refusal?.rule ?? "", text];
  return parts.filter(Boolean).join(": ");
}

function colored(text: string, status: number | null): string {
  const isRed = status === null || status >= 500;
  const color = isRed ? 31 : status >= 400 ? 33 : 32;
  return `\u001B[${color}m${text}\u001B[39m`;
}
