import { createHash } from "node:crypto";

import type { JournalEntry } from "@tryon/client/batch";

/** The version of the form of the file that this release writes, and the only one that it reads. */
const version = 1;
const name = "tryon-batch";

/** The first line of every journal, with its line break. */
export const headerLine = `{"journal":"${name}","version":${version}}\n`;

/** What a first line says about its file. */
export function readHeader(line: string): "ours" | "newer" | "foreign" {
  const header = parse(line) as { readonly journal?: unknown; readonly version?: unknown };
  if (header.journal !== name || typeof header.version !== "number") return "foreign";
  if (header.version > version) return "newer";
  return header.version === version ? "ours" : "foreign";
}

/** The text of an entry, to be sealed when it is known what it is written with. It holds no more than an entry has. */
export function entryText({ job, ...entry }: JournalEntry): string {
  const { id, state, idempotencyKey, digest, held, size, sentAt } = entry;
  const known = { id, state, idempotencyKey, digest, held, size, sentAt };
  if (job === undefined) return JSON.stringify(known);
  const { result_url: _signed, ...data } = job.data ?? {};
  const saved = { id: job.id, idempotencyKey: job.idempotencyKey, data: job.data && data };
  return JSON.stringify({ ...known, job: saved });
}

/**
 * The line of an entry. `joined` says that it was written in one go with the line before it: what a power failure leaves of
 * one write may have a hole, while what was written before is known to be on disk.
 */
export function sealedLine(text: string, joined: boolean): string {
  const content = `${text.slice(0, -1)}${joined ? ',"joined":true' : ""}`;
  return `${content}${seal(content)}\n`;
}

/** What a line says, or nothing if one byte of it is not as it was written. */
export function readLine(
  line: Uint8Array,
): { readonly entry: JournalEntry; readonly joined: boolean } | undefined {
  const content = line.subarray(0, Math.max(0, line.length - sealLength));
  const text = Buffer.from(line.buffer, line.byteOffset, line.length).toString();
  if (!text.endsWith(seal(content))) return undefined;
  // The seal shows that it is what sealedLine made.
  const { joined = false, sum: _sum, ...entry } = parse(text) as Sealed;
  return { entry, joined };
}

type Sealed = JournalEntry & { readonly joined?: boolean; readonly sum: string };

/** The end of a line: a checksum of what stands before it. */
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
