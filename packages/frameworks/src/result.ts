import { readFile, writeFile } from "node:fs/promises";

/** Result of a row: versions of the packages, and for each check `works` or what was wrong. */
export interface Result {
  readonly versions: Readonly<Record<string, string>>;
  readonly outcomes: Readonly<Record<string, string>>;
}

export const works = "works";

/** Outcome of a check that a row does not have. */
export const notApplicable = "not applicable";

interface RunOptions {
  /** File of the results. */
  readonly path: string;
  readonly rows: readonly { readonly id: string }[];
  /** Ids of the only rows to run. */
  readonly selected: readonly string[] | undefined;
}

/** Writes the results of the rows that ran, and the date if all did. */
export async function writeResults(
  { path, rows, selected }: RunOptions,
  found: Readonly<Record<string, Result>>,
): Promise<void> {
  // The file is from here.
  const old = JSON.parse(await readFile(path, "utf8")) as { date: string; rows: object };
  const date = selected ? old.date : new Date().toISOString().slice(0, 10);
  const all: Readonly<Record<string, unknown>> = { ...old.rows, ...found };
  const ordered = Object.fromEntries(rows.map(({ id }) => [id, all[id]]));
  await writeFile(path, `${JSON.stringify({ date, rows: ordered }, null, 2)}\n`);
}
