import { closeSync, createReadStream, openSync, readSync } from "node:fs";
import { basename } from "node:path";
import { createInterface } from "node:readline";

import { UsageError } from "@tryon/cli-kit";
import { decodeText } from "@tryon/shared/text-file";

import { parseExchange, type Exchange } from "../record/exchange.ts";

export interface Recorded {
  readonly exchange: Exchange;
  readonly place: string;
}

/**
 * Reads session files, line by line. A last line that is cut off, as a killed recorder leaves it, is left out,
 * and standard error says so.
 *
 * @throws UsageError with the file and the line.
 */
export async function* readSessions(files: readonly string[]): AsyncGenerator<Recorded> {
  for (const file of files) {
    rejectRecording(file);
    // One character per byte, so that each line can be decoded by itself.
    const input = createReadStream(file, "latin1");
    let last = "";
    input.on("data", (chunk) => (last = String(chunk).slice(-1) || last));
    let number = 0;
    let failed: { readonly place: string; readonly reason: string } | undefined;
    try {
      for await (const line of createInterface({ input, crlfDelay: Infinity })) {
        if (failed) break;
        number += 1;
        const place = `${basename(file)}:${number}`;
        if (line === "") continue;
        try {
          const text = decodeText(Buffer.from(line, "latin1"), place);
          yield { exchange: parseExchange(text), place };
        } catch (error) {
          const reason = error instanceof Error ? error.message : String(error);
          const isText = !(error instanceof UsageError);
          failed = { place, reason: isText ? reason : "is not text in UTF-8: save it as UTF-8" };
        }
      }
    } catch (error) {
      const { code } = Object(error) as { code?: unknown };
      throw new UsageError(`${file} cannot be read (${String(code)}). Check the path.`);
    }
    if (failed === undefined) continue;
    const isCut = failed.place.endsWith(`:${number}`) && last !== "\n";
    if (!isCut) throw new UsageError(`${failed.place} ${failed.reason}.`);
    process.stderr.write(`${failed.place} is cut off, and left out.\n`);
  }
}

/** Start of a zip, or of the JSON of a recording that `import` reads. A session begins with a field of an exchange. */
const recordingStart = /^\uFEFF?\s*(?:PK|\[|\{\s*"(?:log|collection|environment|run)")/;

/** @throws UsageError for a recording of another tool, which can be one long line. */
function rejectRecording(file: string): void {
  const head = Buffer.alloc(256);
  try {
    const opened = openSync(file, "r");
    readSync(opened, head);
    closeSync(opened);
  } catch {
    // Reading the lines fails, too.
    return;
  }
  if (!recordingStart.test(head.toString())) return;
  const command = `tryon-contract import ${file} --output session.ndjson`;
  throw new UsageError(`${file} is a recording of another tool. Make a session of it: ${command}`);
}
