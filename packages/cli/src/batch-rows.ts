import { readFile } from "node:fs/promises";
import { dirname, relative, resolve, sep } from "node:path";

import type { Garments, TryOnInput } from "@tryon/client";
import { UsageError } from "@tryon/cli-kit";
import { unknownName } from "@tryon/shared/options";
import { decodeCsv, decodeText } from "@tryon/shared/text-file";
import { parse } from "csv-parse/sync";

import { isUrl, openImage } from "./images.ts";

/** Try-on of a batch, as its file states it. Paths of images are absolute. */
export interface FileRow {
  /** Line at which it begins. */
  readonly line: number;
  readonly id: string | undefined;
  readonly person: string;
  readonly garments: readonly string[];
  readonly size: string | undefined;
  readonly prompt: string | undefined;
  readonly negative_prompt: string | undefined;
  readonly seed: number | undefined;
  /** Other columns, with `keepColumns`. */
  readonly columns: Readonly<Record<string, unknown>> | undefined;
}

export interface BatchRow extends FileRow {
  readonly id: string;
}

export interface ReadOptions {
  /** Names of fields, by the name of their column. */
  readonly column?: ReadonlyMap<string, string> | undefined;
  /** If true, other columns are kept, and not rejected. */
  readonly keepColumns?: boolean | undefined;
  readonly note?: (text: string) => void;
}

/** Fields of a row. `error` is in files of failures, which are inputs too. */
export const fieldNames: readonly string[] = [
  "id",
  "person",
  "garments",
  "size",
  "prompt",
  "negative_prompt",
  "seed",
  "error",
];

/** Texts that programs and spreadsheets write for a missing value. They would be paid as a prompt. */
const missing =
  /^(?:undefined|null|NaN|\[object Object\]|#(?:N\/A|REF!|VALUE!|NAME\?|DIV\/0!|NUM!|NULL!))$/;

/**
 * Reads the try-ons of a batch: CSV with a header row, garments separated by `|`, or NDJSON with a list of garments. Paths
 * are relative to the file.
 *
 * @throws UsageError with the line, the field and the fix.
 */
export async function readRows(
  path: string,
  options: ReadOptions = {},
): Promise<readonly FileRow[]> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new UsageError(
      `the file of the batch cannot be read (${String(Reflect.get(Object(error), "code"))}): ${path}.`,
    );
  });
  const isCsv = /\.csv$/i.test(path);
  if (!isCsv && !/\.(?:ndjson|jsonl)$/i.test(path)) {
    throw new UsageError(`${path} must be a file with the ending .csv, .ndjson or .jsonl.`);
  }
  const onLatin = (): void =>
    options.note?.(
      `${path} is not UTF-8. It is read as windows-1252, on whose letters others agree.`,
    );
  const text = isCsv ? decodeCsv(bytes, path, onLatin) : decodeText(bytes, path);
  const names = createColumnNames(path, options);
  const records = isCsv ? readCsv(text, path, names) : readLines(text, path, names);
  if (records.length === 0) throw new UsageError(`${path} has no rows.`);
  names.checkUsed();
  const folder = dirname(resolve(path));
  return records.map((record) => readRow(record, `${path} line ${record.line}`, folder));
}

interface RowRecord {
  readonly line: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

type ColumnNames = ReturnType<typeof createColumnNames>;

/** Names of the fields that the columns of a file have. */
function createColumnNames(path: string, { column: given = new Map(), keepColumns }: ReadOptions) {
  const used = new Set<string>();
  const nameOf = (column: string): string => given.get(column) ?? column;
  return {
    nameOf,

    /** Returns the names of the fields. Rejects a column that is unknown, or has the name of another one. */
    read(columns: readonly string[], line: number): readonly string[] {
      const places = new Map<string, number>();
      return columns.map((column, at) => {
        const name = nameOf(column);
        const earlier = places.get(name);
        used.add(column);
        if (name === "") return name;
        const place = `${path} line ${line}:`;
        if (earlier !== undefined) {
          const both = `columns ${earlier + 1} and ${at + 1} are both ${JSON.stringify(name)}`;
          const hint = "Remove or rename one. A row has one column of garments, separated by |.";
          throw new UsageError(`${place} ${both}. ${hint}`);
        }
        places.set(name, at);
        if (keepColumns !== true && !fieldNames.includes(name)) {
          const { message } = unknownName("a column", name, fieldNames.slice(0, -1));
          const hint = "Else use --column NAME=COLUMN, or --keep-columns.";
          throw new UsageError(`${place} ${message} ${hint}`);
        }
        return name;
      });
    },

    /** Rejects a column of `--column` that the file does not have. */
    checkUsed(): void {
      for (const [column, name] of given) {
        if (used.has(column)) continue;
        throw new UsageError(`--column ${name}=${column}: ${path} has no column ${column}.`);
      }
    },
  };
}

/** Returns the separator of a CSV file: the one with most known names in the header, or else with most columns. */
function separatorOf(header: string, names: ColumnNames): string {
  const scores = [",", ";", "\t"].map((separator) => {
    const cells = header.split(separator).map((cell) => cell.trim().replaceAll(/^"|"$/g, ""));
    const known = cells.filter((cell) => fieldNames.includes(names.nameOf(cell)));
    return { separator, score: known.length * 1_000_000 + cells.length };
  });
  return scores.reduce((best, one) => (one.score > best.score ? one : best)).separator;
}

const breaks = (text: string): number => text.match(/\r\n|\r|\n/g)?.length ?? 0;

function readCsv(text: string, path: string, names: ColumnNames): readonly RowRecord[] {
  const invalid = (problem: string) => new UsageError(`${path} is not valid CSV: ${problem}`);
  // Excel writes and reads such a line.
  const [first = "", given] = /^"?sep=(.)"?[ \t]*(?:\r\n|\r|\n)/i.exec(text) ?? [];
  const body = text.slice(first.length);
  const [header = ""] = /\S.*/.exec(body) ?? [];
  let records: readonly unknown[];
  try {
    records = parse(body, {
      delimiter: given ?? separatorOf(header, names),
      raw: true,
      // Without them, the first line break of a file decides for all others.
      record_delimiter: ["\r\n", "\n", "\r"],
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    });
  } catch (error) {
    throw invalid((error as Error).message);
  }
  let end = 1 + breaks(first);
  // With `raw`, records have another form, which the types of the parser lack.
  const rows = (records as readonly { record: string[]; raw: string }[]).flatMap(
    ({ record: cells, raw }) => {
      // The lines that the parser counts are wrong in a file with several forms of line breaks.
      const line = end + breaks(/^(?:[ \t]*(?:\r\n|\r|\n))*/.exec(raw)?.[0] ?? "");
      end += breaks(raw);
      return cells.every((cell) => cell === "") ? [] : [{ line, cells }];
    },
  );
  const [head, ...others] = rows;
  const columns = names.read(head?.cells ?? [], head?.line ?? 1);
  const width = columns.findLastIndex((name) => name !== "") + 1;
  return others.map(({ line, cells }) => {
    if (cells.length < width) {
      throw invalid(`line ${line} has ${cells.length} cells, and the header has ${width} columns.`);
    }
    const nameless = cells.findIndex((cell, at) => cell !== "" && !columns[at]);
    if (nameless >= 0) {
      throw invalid(`line ${line} has a value in column ${nameless + 1}, which has no name.`);
    }
    const fields = Object.fromEntries(
      columns.flatMap((name, at) => (name ? [[name, cells[at]]] : [])),
    );
    const garments = fields["garments"]?.split("|").map((value) => value.trim());
    return { line, fields: { ...fields, garments } };
  });
}

function readLines(text: string, path: string, names: ColumnNames): readonly RowRecord[] {
  return text.split(/\r?\n/).flatMap((json, index) => {
    if (json.trim() === "") return [];
    const line = index + 1;
    let fields: unknown;
    try {
      fields = JSON.parse(json);
    } catch {
      // Reported below.
    }
    if (typeof fields !== "object" || fields === null || Array.isArray(fields)) {
      throw new UsageError(`${path} line ${line} is not a JSON object.`);
    }
    names.read(keysOf(json), line);
    const values = Object.entries(fields).map(([name, value]) => [names.nameOf(name), value]);
    return [{ line, fields: Object.fromEntries(values) as RowRecord["fields"] }];
  });
}

/** Returns the keys of a JSON object, also those that occur again, of which `JSON.parse` keeps the last one. */
function keysOf(json: string): readonly string[] {
  let depth = 0;
  return Array.from(
    // Repeats per escape, not per character: the stack of a regular expression has no place for a long image.
    json.matchAll(/("[^"\\]*(?:\\.[^"\\]*)*")\s*(:?)|[[{]|[\]}]/g),
    ([token, text, colon]) => {
      if (text === undefined) depth += /[[{]/.test(token) ? 1 : -1;
      else if (colon && depth === 1) return [JSON.parse(text) as string];
      return [];
    },
  ).flat();
}

function readRow({ line, fields }: RowRecord, place: string, folder: string): FileRow {
  const fail = (problem: string): never => {
    throw new UsageError(`${place}: ${problem}`);
  };
  const textOf = (name: string): string | undefined => {
    const value = fields[name] ?? "";
    if (typeof value !== "string") return fail(`${name} must be a text.`);
    if (missing.test(value)) {
      fail(
        `${name} is ${value}, which programs write for a missing value. Leave it empty instead.`,
      );
    }
    return value === "" ? undefined : value;
  };
  const image = (name: string, value: unknown): string => {
    if (typeof value !== "string" || value === "") {
      return fail(`${name} is missing. Give the path of an image, or an https URL.`);
    }
    return isUrl(value) ? value : resolve(folder, value);
  };
  const { garments } = fields;
  const list = Array.isArray(garments) ? garments.filter((value) => value !== "") : [];
  if (list.length < 1 || list.length > 3) {
    fail(
      `garments has ${list.length} images, and a try-on takes 1 to 3. In CSV, separate them by |.`,
    );
  }
  // Number converts true, lists and spaces, too.
  const seed = fields["seed"] ?? "";
  if (typeof seed !== "number" && !/^\d*$/.test(typeof seed === "string" ? seed : "-")) {
    fail("seed must be a whole number from 0 to 2147483647.");
  }
  const others = Object.entries(fields).filter(([name]) => !fieldNames.includes(name));
  return {
    line,
    id: textOf("id"),
    person: image("person", fields["person"]),
    garments: list.map((value) => image("garments", value)),
    size: textOf("size")?.toUpperCase(),
    prompt: textOf("prompt"),
    negative_prompt: textOf("negative_prompt"),
    seed: seed === "" ? undefined : Number(seed),
    columns: others.length > 0 ? Object.fromEntries(others) : undefined,
  };
}

/**
 * Returns a row as an input of another run, as files of failures have it.
 *
 * @param folder - Folder of the file, to which paths are relative. Without it, they are absolute.
 */
export function toInput(row: FileRow, folder?: string): object {
  const { line: _, columns, ...fields } = row;
  const place = (image: string): string => {
    if (folder === undefined || isUrl(image)) return image;
    const path = relative(folder, image).replaceAll(sep, "/");
    return isUrl(path) ? `./${path}` : path;
  };
  const [person, garments] = [place(row.person), row.garments.map(place)];
  return { ...fields, person, garments, ...columns };
}

/**
 * Opens the images of a row.
 *
 * @param file - File of the row, for errors.
 * @throws UsageError if a file does not exist.
 */
export async function openRow(row: FileRow, file: string): Promise<TryOnInput> {
  const { line, person, garments, size, prompt, negative_prompt, seed } = row;
  const place = `${file} line ${line}:`;
  const opened: (string | Blob)[] = [];
  for (const value of garments) opened.push(await openImage(`${place} garments`, value));
  return {
    person: await openImage(`${place} person`, person),
    // Counted when the row was read.
    garments: opened as unknown as Garments,
    // The client checks it.
    output_size: size as "1K",
    prompt,
    negative_prompt,
    seed,
  };
}
