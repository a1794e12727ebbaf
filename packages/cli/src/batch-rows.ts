import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";

import type { Garments, TryOnInput } from "@tryon/client";
import { UsageError } from "@tryon/command-line";
import { unknownName } from "@tryon/command-line/options";
import { parse } from "csv-parse/sync";

import { isUrl, openImage } from "./images.ts";

/** Try-on of a batch, as its file states it. Paths of images are absolute. */
export interface BatchRow {
  readonly id: string;
  readonly person: string;
  readonly garments: readonly string[];
  readonly size?: string | undefined;
  readonly prompt?: string | undefined;
  readonly negative_prompt?: string | undefined;
  readonly seed?: number | undefined;
}

/** `error` is in files of failures, which are inputs too. */
const names = ["id", "person", "garments", "size", "prompt", "negative_prompt", "seed", "error"];

const maxIdLength = 120;

/**
 * Reads the try-ons of a batch: CSV with a header row, garments separated by `|`, or NDJSON with a list of garments. Paths
 * are relative to the file. A row without an id gets one from its content.
 *
 * @throws UsageError with the row, the field and the fix.
 */
export async function readRows(path: string): Promise<readonly BatchRow[]> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new UsageError(
      `the file of the batch cannot be read (${String(Reflect.get(Object(error), "code"))}): ${path}.`,
    );
  });
  const isCsv = /\.csv$/i.test(path);
  if (!isCsv && !/\.(?:ndjson|jsonl)$/i.test(path)) {
    throw new UsageError(`${path} must be a file with the ending .csv, .ndjson or .jsonl.`);
  }
  const records = isCsv ? readCsv(text, path) : readLines(text, path);
  if (records.length === 0) throw new UsageError(`${path} has no rows.`);
  const lines = new Map<string, number>();
  return records.map(({ line, fields }) => {
    const row = readRow(fields, `${path} line ${line}`, dirname(resolve(path)));
    // Ids are names of files, and some file systems ignore the case.
    const name = row.id.toLowerCase();
    const earlier = lines.get(name);
    if (earlier !== undefined) {
      throw new UsageError(
        `${path} lines ${earlier} and ${line} have the same id, ${JSON.stringify(row.id)}. Give each row its own id: it names the image.`,
      );
    }
    lines.set(name, line);
    return row;
  });
}

interface RowRecord {
  readonly line: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

function readCsv(text: string, path: string): readonly RowRecord[] {
  try {
    const records = parse<{ record: Record<string, string>; info: { lines: number } }>(text, {
      bom: true,
      columns: true,
      info: true,
      skip_empty_lines: true,
      trim: true,
    });
    return records.map(({ record, info }) => ({
      line: info.lines,
      fields: { ...record, garments: record["garments"]?.split("|").map((value) => value.trim()) },
    }));
  } catch (error) {
    throw new UsageError(`${path} is not valid CSV: ${(error as Error).message}`);
  }
}

function readLines(text: string, path: string): readonly RowRecord[] {
  return text.split(/\r?\n/).flatMap((json, index) => {
    if (json.trim() === "") return [];
    const line = index + 1;
    try {
      const fields: unknown = JSON.parse(json);
      if (typeof fields === "object" && fields !== null) return [{ line, fields: { ...fields } }];
    } catch {
      // Reported below.
    }
    throw new UsageError(`${path} line ${line} is not a JSON object.`);
  });
}

function readRow(fields: RowRecord["fields"], place: string, folder: string): BatchRow {
  const fail = (problem: string): never => {
    throw new UsageError(`${place}: ${problem}`);
  };
  const unknown = Object.keys(fields).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    fail(unknownName("a column", unknown, names.slice(0, -1)).message);
  }
  const textOf = (name: string): string | undefined => {
    const value = fields[name] ?? "";
    if (typeof value !== "string") return fail(`${name} must be a text.`);
    return value === "" ? undefined : value;
  };
  const image = (name: string, value: unknown): string => {
    if (typeof value !== "string" || value === "") {
      return fail(`${name} is missing. Give the path of an image, or an https URL.`);
    }
    return isUrl(value) ? value : resolve(folder, value);
  };
  const { garments, seed = "" } = fields;
  const list = Array.isArray(garments) ? garments.filter((value) => value !== "") : [];
  if (list.length < 1 || list.length > 3) {
    fail(
      `garments has ${list.length} images, and a try-on takes 1 to 3. In CSV, separate them by |.`,
    );
  }
  const content = {
    person: image("person", fields["person"]),
    garments: list.map((value) => image("garments", value)),
    size: textOf("size")?.toUpperCase(),
    prompt: textOf("prompt"),
    negative_prompt: textOf("negative_prompt"),
    seed: seed === "" || seed === null ? undefined : Number(seed),
  };
  const digest = createHash("sha256").update(JSON.stringify(content)).digest("hex");
  const id = textOf("id") ?? `look-${digest.slice(0, 12)}`;
  if (
    !/^[^\p{C}/\\:*?"<>|.][^\p{C}/\\:*?"<>|]*$/u.test(id) ||
    Array.from(id).length > maxIdLength
  ) {
    fail(
      `id names the image: use up to ${maxIdLength} letters, digits, spaces, hyphens and dots, and none of / \\ : * ? " < > |.`,
    );
  }
  return { id, ...content };
}

/**
 * Returns the id of the next try-on of each row: `shirt-try-2` for `shirt`, then `shirt-try-3`. They are valid and
 * unique, and differ from the ids of the rows.
 */
export function nextIds(rows: readonly BatchRow[]): readonly string[] {
  const taken = new Set(rows.map(({ id }) => id.toLowerCase()));
  return rows.map(({ id }) => {
    const [, base = id, last = "1"] = /^(.*)-try-(\d{1,4})$/.exec(id) ?? [];
    for (let number = Number(last) + 1; ; number += 1) {
      const suffix = `-try-${number}`;
      const stem = Array.from(base).slice(0, maxIdLength - suffix.length);
      const next = [...stem, suffix].join("");
      if (taken.has(next.toLowerCase())) continue;
      taken.add(next.toLowerCase());
      return next;
    }
  });
}

export async function openRow(row: BatchRow): Promise<TryOnInput> {
  const { person, garments, size, prompt, negative_prompt, seed } = row;
  const opened: (string | Blob)[] = [];
  for (const value of garments) opened.push(await openImage(`garments of ${row.id}`, value));
  return {
    person: await openImage(`person of ${row.id}`, person),
    // Counted when the row was read.
    garments: opened as unknown as Garments,
    // The client checks it.
    output_size: size as "1K",
    prompt,
    negative_prompt,
    seed,
  };
}
