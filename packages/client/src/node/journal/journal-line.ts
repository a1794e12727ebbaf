import { createHash } from "node:crypto";

import type { JournalEntry } from "@tryon/client/batch";

/** Version of the file format that this release reads and writes. */
const version = 1;
const name = "tryon-batch";

/** First line of every journal, with its line break. */
export const headerLine = `{"journal":"${name}","version":${version}}\n`;

/** Identifies a file by its first line. */
export function readHeader(line: string): "ours" | "newer" | "foreign" {
  const header = parse(line) as { readonly journal?: unknown; readonly version?: unknown };
  if (header.journal !== name || typeof header.version !== "number") return "foreign";
  if (header.version > version) return "newer";
  return header.version === version ? "ours" : "foreign";
}

/** Returns the JSON of an entry without its checksum. It omits unknown fields and the signed URL of the result. */
export function entryText({ job, ...entry }: JournalEntry): string {
  const { id, state, idempotencyKey, digest, sync, size, sentAt } = entry;
  const { result_url: _signed, ...data } = job?.data ?? {};
  const saved = job && { id: job.id, idempotencyKey: job.idempotencyKey, data: job.data && data };
  return JSON.stringify({ id, state, idempotencyKey, digest, sync, size, sentAt, job: saved });
}

/**
 * Returns the line of an entry, with its checksum. `joined` marks a line that shares a write with the line before it. A power
 * failure can damage any part of the last write; earlier writes are on disk.
 */
export function sealedLine(text: string, joined: boolean): string {
  const content = `${text.slice(0, -1)}${joined ? ',"joined":true' : ""}`;
  return `${content}${seal(content)}\n`;
}

/** Parses a line. Returns undefined if its checksum does not match. */
export function readLine(
  line: Uint8Array,
): { readonly entry: JournalEntry; readonly joined: boolean } | undefined {
  const content = line.subarray(0, Math.max(0, line.length - sealLength));
  const text = Buffer.from(line.buffer, line.byteOffset, line.length).toString();
  if (!text.endsWith(seal(content))) return undefined;
  // The checksum matches, so sealedLine wrote the line.
  const { joined = false, sum: _sum, ...entry } = parse(text) as Sealed;
  return { entry, joined };
}

type Sealed = JournalEntry & { readonly joined?: boolean; readonly sum: string };

/** Returns the end of a line: a checksum of the content before it. */
function seal(content: string | Uint8Array): string {
  return `,"sum":"${createHash("sha256").update(content).digest("hex").slice(0, 8)}"}`;
}

const sealLength = seal("").length;

function parse(text: string): unknown {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
