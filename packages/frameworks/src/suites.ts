import { installing } from "@tryon/test-kit/app-folder";
import { expect, it } from "vitest";

import { notApplicable, works, writeResults, type Result } from "./result.ts";
import { nameOf } from "./run-row.ts";

/** Row of a page that a run has written. */
interface Row {
  readonly id: string;
  readonly title: string;
  /** Packages to install. */
  readonly packages: readonly string[];
  /** If true, `.ci/run` runs it with the versions of the results. */
  readonly isPinned?: boolean;
}

interface NightlyOptions<Rows extends Row> {
  /** File of the results. */
  readonly path: string;
  readonly rows: readonly Rows[];
  /** Command that writes the results. */
  readonly command: string;
  readonly run: (row: Rows) => Promise<Result>;
  readonly resultOf: (row: Rows) => Result | undefined;
  /** Returns true if the page explains a failed check. */
  readonly accepts: (row: Rows, check: string) => boolean;
}

const stable = ({ versions, outcomes }: Partial<Result> = {}): string =>
  JSON.stringify({ versions, outcomes });

function failuresOf<Rows extends Row>(
  row: Rows,
  result: Result | undefined,
  accepts: NightlyOptions<Rows>["accepts"],
): readonly (readonly string[])[] {
  return Object.entries(result?.outcomes ?? {}).filter(
    ([check, outcome]) => ![works, notApplicable].includes(outcome) && !accepts(row, check),
  );
}

/** Runs each row with the newest versions. Writes the results, or prints those that differ from the page. */
export function nightlySuite<Rows extends Row>(options: NightlyOptions<Rows>): void {
  const { path, rows, command, run, resultOf, accepts } = options;
  /** Ids of the only rows to run, separated by commas. */
  const selected = process.env["TRYON_TOOL"]?.split(",");
  const isWriting = process.env["TRYON_FRAMEWORKS"] === "write";
  const found: Record<string, Result> = {};
  it.each(rows.filter(({ id }) => selected?.includes(id) ?? true))(
    "$title with its newest version",
    async (row) => {
      const result = await run(row);
      found[row.id] = result;
      if (isWriting) await writeResults({ path, rows, selected }, found);
      else if (stable(result) !== stable(resultOf(row)))
        process.stdout.write(
          `${row.title} differs, \`${command}\` writes: ${JSON.stringify(result)}\n`,
        );
      expect(failuresOf(row, result, accepts)).toEqual([]);
    },
    installing,
  );
}

/** Runs the pinned rows with the versions of the page. */
export function pinnedSuite<Rows extends Row>(
  rows: readonly Rows[],
  run: (row: Rows, versions?: Result["versions"]) => Promise<Result>,
  resultOf: (row: Rows) => Result | undefined,
): void {
  it.each(rows.filter(({ isPinned }) => isPinned))(
    "$title with the versions of the page gives the results of the page",
    async (row) => {
      const result = resultOf(row);
      expect(stable(await run(row, result?.versions))).toBe(stable(result));
    },
    installing,
  );
}

/** Checks that the results are complete. */
export function resultSuite<Rows extends Row>(
  results: { readonly date: string; readonly rows: object },
  rows: readonly Rows[],
  resultOf: (row: Rows) => Result | undefined,
  accepts: NightlyOptions<Rows>["accepts"],
): void {
  it("has the date of the last run of all rows", () => {
    expect(results.date).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(Object.keys(results.rows)).toEqual(rows.map(({ id }) => id));
  });

  it.each(rows)("$title has exact versions, and works or has a note", (row) => {
    const { versions = {}, outcomes = {} } = resultOf(row) ?? {};
    expect(Object.keys(versions)).toEqual(row.packages.map(nameOf));
    for (const version of Object.values(versions)) expect(version).toMatch(/^\d+\.\d+\.\d+/);
    expect(failuresOf(row, resultOf(row), accepts)).toEqual([]);
    expect(Object.values(outcomes)).toContain(works);
  });
}
