import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";

import { installing } from "@tryon/test-kit/app-folder";
import { describe, expect, it } from "vitest";

import { checks } from "./checks.ts";
import { frameworks } from "./frameworks.ts";
import { nameOf } from "./install-row.ts";
import frameworkResults from "./results.json" with { type: "json" };
import { notApplicable, resultIn, works, type Result, type Row } from "./row.ts";
import { runFramework } from "./run-framework.ts";
import runnerResults from "./runners/results.json" with { type: "json" };
import { runRunner } from "./runners/run-runner.ts";
import { runners } from "./runners/runners.ts";
import toolResults from "./tools/results.json" with { type: "json" };
import { runTool } from "./tools/run-tool.ts";
import { tools } from "./tools/tools.ts";

interface Results {
  readonly date: string;
  readonly rows: Readonly<Record<string, Result>>;
}

/** Rows of a page, each with the function that runs it, and the results of the last run of all. */
interface Suite {
  readonly path: string;
  readonly results: Results;
  readonly rows: readonly {
    readonly row: Row;
    readonly title: string;
    readonly run: (versions?: Result["versions"]) => Promise<Result>;
  }[];
}

function suiteOf<Any extends Row>(
  folder: string,
  results: Results,
  rows: readonly Any[],
  run: (row: Any, versions?: Result["versions"]) => Promise<Result>,
): Suite {
  const bound = rows.map((row) => ({
    row,
    title: row.title,
    run: (versions?: Result["versions"]) => run(row, versions),
  }));
  return { path: join(import.meta.dirname, folder, "results.json"), results, rows: bound };
}

const suites = {
  frameworks: suiteOf(".", frameworkResults, frameworks, runFramework),
  runners: suiteOf("runners", runnerResults, runners, runRunner),
  tools: suiteOf("tools", toolResults, tools, runTool),
};

type Name = keyof typeof suites;

/** Returns the checks that failed without a note on the page. No note excuses a lost event, or a second charge. */
function unexplained({ notes, without }: Row, { outcomes = {} }: Partial<Result>) {
  return Object.entries(outcomes).filter(
    ([check, outcome]) =>
      ![works, notApplicable, without?.[check]].includes(outcome) &&
      (checks[check]?.isFatal || !notes?.[check]?.endsWith(".")),
  );
}

/** Checks that the results of a page are complete. */
export function checkResults(name: Name): void {
  const { results, rows } = suites[name];
  describe(`the results of ${name}`, () => {
    it("has the date of the last run of all rows", () => {
      expect(results.date).toMatch(/^20\d\d-\d\d-\d\d$/);
      expect(Object.keys(results.rows)).toEqual(rows.map(({ row }) => row.id));
    });

    it.each(rows)("$title has exact versions, and a result or a note for each check", ({ row }) => {
      const { versions = {}, outcomes = {} } = resultIn(results, row);
      expect(Object.keys(versions)).toEqual(row.packages.map(nameOf));
      for (const version of Object.values(versions)) expect(version).toMatch(/^\d+\.\d+\.\d+/);
      const [first] = Object.values(results.rows);
      expect(Object.keys(outcomes)).toEqual(Object.keys(first?.outcomes ?? {}));
      expect(Object.values(outcomes)).toContain(works);
      expect(unexplained(row, { outcomes })).toEqual([]);
    });
  });
}

/** Runs the pinned rows with the versions of the page. */
export function runPinned(name: Name): void {
  const { results, rows } = suites[name];
  it.each(rows.filter(({ row }) => row.isPinned))(
    "$title with the versions of the page gives the results of the page",
    async ({ row, run }) => {
      const { versions, outcomes } = resultIn(results, row);
      expect(await run(versions)).toMatchObject({ versions, outcomes });
    },
    installing,
  );
}

/** Runs each row with the newest versions. Writes the results, and the date if all ran, or prints those that differ. */
export function runNewest(name: Name): void {
  const { path, results, rows } = suites[name];
  /** Ids of the only rows to run, separated by commas. */
  const selected = process.env["TRYON_ROWS"]?.split(",");
  const isWriting = process.env["TRYON_FRAMEWORKS"] === "write";
  const found: Record<string, Result> = {};
  const write = async (): Promise<void> => {
    // The file is from here.
    const old = JSON.parse(await readFile(path, "utf8")) as Results;
    const date = selected ? old.date : new Date().toISOString().slice(0, 10);
    const all: Results["rows"] = { ...old.rows, ...found };
    const ordered = Object.fromEntries(rows.map(({ row }) => [row.id, all[row.id]]));
    await writeFile(path, `${JSON.stringify({ date, rows: ordered }, null, 2)}\n`);
  };
  it.each(rows.filter(({ row }) => selected?.includes(row.id) ?? true))(
    "$title with its newest version",
    async ({ row, title, run }) => {
      const result = await run();
      found[row.id] = result;
      const { versions, outcomes } = resultIn(results, row);
      const isSame = isDeepStrictEqual([result.versions, result.outcomes], [versions, outcomes]);
      if (isWriting) await write();
      else if (!isSame)
        process.stdout.write(
          `${title} differs, \`npm run ${name}\` writes: ${JSON.stringify(result)}\n`,
        );
      expect(unexplained(row, result)).toEqual([]);
    },
    installing,
  );
}
