import { inflateRawSync } from "node:zlib";

import { UsageError } from "@tryon/cli-kit";

/** Reads a file of an archive up to a size, or returns undefined if the archive does not have it. */
export type ReadEntry = (name: string, maxBytes: number) => Buffer | undefined;

interface Entry {
  readonly method: number;
  readonly bytes: number;
  readonly offset: number;
}

/** Signatures of the parts of an archive. */
const endOfDirectory = 0x06_05_4b_50;
const directoryEntry = 0x02_01_4b_50;
const localEntry = 0x04_03_4b_50;

/**
 * Reads the directory of a zip archive, whose files are stored or deflated. That is what Playwright writes.
 *
 * @throws UsageError for an archive that is damaged, encrypted, or larger than 4 GiB.
 */
export function readZip(archive: Buffer): { readonly names: readonly string[]; read: ReadEntry } {
  const entries = inArchive(() => directoryOf(archive));
  const read: ReadEntry = (name, maxBytes) => {
    const entry = entries.get(name);
    return entry && inArchive(() => contentOf(archive, entry, maxBytes));
  };
  return { names: [...entries.keys()], read };
}

function directoryOf(archive: Buffer): ReadonlyMap<string, Entry> {
  const signature = Buffer.alloc(4);
  signature.writeUInt32LE(endOfDirectory);
  const end = archive.lastIndexOf(signature);
  const entries = new Map<string, Entry>();
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (archive.readUInt32LE(at) !== directoryEntry) throw new RangeError("no entry");
    const flags = archive.readUInt16LE(at + 8);
    if (flags % 2 === 1) throw new RangeError("encrypted");
    const nameEnd = at + 46 + archive.readUInt16LE(at + 28);
    entries.set(archive.toString("utf8", at + 46, nameEnd), {
      method: archive.readUInt16LE(at + 10),
      bytes: archive.readUInt32LE(at + 20),
      offset: archive.readUInt32LE(at + 42),
    });
    at = nameEnd + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return entries;
}

function contentOf(archive: Buffer, { method, bytes, offset }: Entry, maxBytes: number): Buffer {
  if (archive.readUInt32LE(offset) !== localEntry) throw new RangeError("no entry");
  const start = offset + 30 + archive.readUInt16LE(offset + 26) + archive.readUInt16LE(offset + 28);
  const content = archive.subarray(start, start + bytes);
  if (content.length !== bytes || (method !== 0 && method !== 8))
    throw new RangeError("no content");
  if (method === 8) return inflateRawSync(content, { maxOutputLength: maxBytes });
  if (bytes > maxBytes) throw new RangeError("too large");
  return content;
}

function inArchive<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    const reason = "is damaged, encrypted, or has a file that is too large";
    throw new UsageError(`the archive ${reason}. Record again.`, { cause: error });
  }
}
