import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import util from "node:util";

import { UsageError } from "./usage-error.ts";

/**
 * Decodes a text file: UTF-8 with or without a byte order mark, or UTF-16 with one. Refuses all other bytes, since replacement
 * characters would be sent and paid.
 *
 * @param name Name of the file in errors.
 * @throws UsageError with the first line that is not such a text.
 */
export function decodeText(bytes: Uint8Array, name: string): string {
  const [first, second] = bytes;
  const isLittle = first === 0xff && second === 0xfe;
  const encoding = isLittle ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  let text: string;
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    const line = encoding === "utf-8" ? ` line ${invalidLine(bytes)}` : "";
    throw new UsageError(`${name}${line} is not text in UTF-8. Save it as UTF-8.`);
  }
  // UTF-16 without a byte order mark, UTF-32, or no text.
  const at = text.indexOf("\0");
  if (at < 0) return text;
  const line = text.slice(0, at).split("\n").length;
  const problem = "has a NUL character, as UTF-16 without a byte order mark has";
  throw new UsageError(`${name} line ${line} ${problem}. Save it as UTF-8.`);
}

/**
 * Finds all but ASCII, and letters beside it whose byte is the same in the encodings of Windows and ISO for Western, Central
 * European, Baltic and Turkish texts. Words of other scripts have no letters of ASCII.
 */
const ambiguous = /[^\p{ASCII}ßäéóöü]|\0|(?<![A-Za-z])\P{ASCII}(?![A-Za-z])/u;

/**
 * Decodes the CSV of a spreadsheet, which can be in the encoding of a country. Accepts that only if all encodings of Latin
 * letters agree on each word.
 *
 * @param onLatin Called if the text is in such an encoding.
 * @throws UsageError as `decodeText` does.
 */
export function decodeCsv(bytes: Uint8Array, name: string, onLatin: () => void): string {
  try {
    return decodeText(bytes, name);
  } catch (error) {
    const text = Buffer.from(bytes).toString("latin1");
    if (ambiguous.test(text)) throw error;
    onLatin();
    return text;
  }
}

/** Returns the line of the first byte that is not UTF-8. A line break is part of no other character. */
function invalidLine(bytes: Uint8Array): number {
  const lines = Buffer.from(bytes).toString("latin1").split("\n");
  return lines.findIndex((line) => !isUtf8(Buffer.from(line, "latin1"))) + 1;
}

/**
 * Reads the text file of an option.
 *
 * @throws UsageError if it cannot be read, or is not text.
 */
export function readOptionFile(flag: string, file: string): string {
  let bytes;
  try {
    bytes = readFileSync(file);
  } catch {
    throw new UsageError(`the file of ${flag} cannot be read. Check its path.`);
  }
  return decodeText(bytes, `the file of ${flag}`);
}

/**
 * Reads the variables of `--env-file`.
 *
 * @throws UsageError with the line of a `TRYON_` variable that is named there and has no usable value: that of the environment,
 * such as a live key, must not replace it.
 */
export function readEnvFile(file: string): Readonly<Record<string, string | undefined>> {
  // Node takes a line break of old editors as a part of the value.
  const text = readOptionFile("--env-file", file).replaceAll(/\r\n?/g, "\n");
  const values = util.parseEnv(text);
  const lines = new Map<string, number>();
  for (const [index, given] of text.split("\n").entries()) {
    const found = /^[^#=]*?(?<!\w)(TRYON_\w+)/i.exec(given.replaceAll(/\p{C}/gu, ""))?.[1];
    if (found === undefined) continue;
    const name = found.toUpperCase();
    const fail = (problem: string): never => {
      throw new UsageError(`--env-file line ${index + 1}: ${name} ${problem}.`);
    };
    const earlier = lines.get(name);
    if (earlier !== undefined) fail(`is also in line ${earlier}. Remove one of them`);
    lines.set(name, index + 1);
    const value = values[name];
    if (value === undefined) fail(`cannot be read. Write ${name}=value, without other characters`);
    else if (value.trim() === "") fail("is empty. Give it a value, or remove the line");
    // An open quote stays in the value, or takes more lines.
    else if (/^["'`]|[\n\p{C}]/u.test(value)) {
      fail("has an open quote or an invisible character. Write it again, in one line");
    }
  }
  return values;
}
