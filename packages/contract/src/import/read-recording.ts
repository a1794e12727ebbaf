import { lstatSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { UsageError } from "@tryon/cli-kit";
import { decodeText } from "@tryon/shared/text-file";

import { parseJson } from "../wire/send.ts";
import { readHar, type ReadSideFile } from "./har.ts";
import { Field, maxBodyMebibytes, maxRecordingMebibytes, type Recording } from "./imported.ts";
import { readNewman } from "./newman.ts";
import { readNock } from "./nock.ts";
import { readZip } from "./zip.ts";

const mebibyte = 2 ** 20;

const formats =
  "HAR (of DevTools, Firefox, Playwright or mitmproxy, also in a zip), a recording of Polly, the output_objects of nock, or the JSON report of newman";

/**
 * Reads a recording of another tool. The format follows from the content, whatever the name is.
 *
 * @throws UsageError with the file, the field and the fix.
 */
export function readRecording(file: string): Recording {
  const bytes = readBytes(file);
  if (bytes.toString("latin1", 0, 4) !== "PK\u0003\u0004") {
    return parse(bytes, basename(file), (field) => readBeside(file, field));
  }
  const { names, read } = readZip(bytes);
  const [name, ...others] = names.filter((one) => /^[^/]+\.har$/.test(one));
  if (name === undefined || others.length > 0) {
    throw new UsageError(`${basename(file)} must contain one file that ends in .har.`);
  }
  const har = read(name, maxRecordingMebibytes * mebibyte) ?? Buffer.alloc(0);
  return parse(har, basename(file), (field) => {
    const content = read(field.text(), maxBodyMebibytes * mebibyte);
    return content ?? field.fail("names a file that the archive lacks");
  });
}

function readBytes(file: string): Buffer {
  try {
    const { size } = statSync(file);
    if (size <= maxRecordingMebibytes * mebibyte) return readFileSync(file);
  } catch (error) {
    const { code } = Object(error) as { code?: unknown };
    throw new UsageError(`${file} cannot be read (${String(code)}). Check the path.`);
  }
  throw new UsageError(
    `${file} is larger than ${maxRecordingMebibytes} MiB. Record less, or with bodies in separate files, or with tryon-contract record.`,
  );
}

/** Reads a file beside the recording. A recording of others must not name any file of this machine. */
function readBeside(file: string, field: Field): Uint8Array {
  const name = field.text();
  if (!/^\w[\w.-]*$/.test(name)) field.fail("must be the name of a file beside the recording");
  const path = join(dirname(file), name);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true) {
    return field.fail("names a file that is not beside the recording; keep them in one folder");
  }
  if (found.size > maxBodyMebibytes * mebibyte) {
    field.fail(`names a file over ${maxBodyMebibytes} MiB`);
  }
  return readFileSync(path);
}

function parse(bytes: Buffer, name: string, readSideFile: ReadSideFile): Recording {
  const text = decodeText(bytes, name);
  if (text.startsWith('{"format":')) {
    throw new UsageError(`${name} is a session already. Use tryon-contract observe or replay.`);
  }
  const json = parseJson(text);
  const root = new Field(json);
  const log = root.get("log");
  if (Array.isArray(log.get("entries").value)) return readHar(log, readSideFile);
  const run = root.get("run");
  if (Array.isArray(run.get("executions").value)) return readNewman(run);
  const calls = new Field(json, "calls");
  const isNock = Array.isArray(json) && json.every((one) => Object(one).scope !== undefined);
  if (isNock && json.length > 0) return readNock(calls);
  const problem = json === undefined ? "is not complete JSON" : "has an unknown format";
  throw new UsageError(`${name} ${problem}. Give ${formats}.`);
}
