import { join } from "node:path";

import { expect, it } from "vitest";

import { checks } from "./checks.ts";
import { command, resultOf } from "./page.ts";
import { works, writeResults, type Result } from "./result.ts";
import { rows } from "./rows.ts";
import { runRow } from "./run-row.ts";

/** Ids of the only rows to run, separated by commas. */
const selected = process.env["TRYON_FRAMEWORK"]?.split(",");
const isWriting = process.env["TRYON_FRAMEWORKS"] === "write";
const path = join(import.meta.dirname, "results.json");

const found: Record<string, Result> = {};

it.each(rows.filter(({ id }) => selected?.includes(id) ?? true))(
  "$title loses no event and charges once",
  async (row) => {
    const result = await runRow(row);
    found[row.id] = result;
    if (isWriting) await writeResults({ path, rows, selected }, found);
    else if (JSON.stringify(result) !== JSON.stringify(resultOf(row)))
      process.stdout.write(
        `${row.title} differs, \`${command}\` writes: ${JSON.stringify(result)}\n`,
      );
    const fatal = Object.entries(result.outcomes).filter(
      ([name, outcome]) => checks[name]?.isFatal && outcome !== (row.without?.[name] ?? works),
    );
    expect(fatal).toEqual([]);
  },
  600_000,
);
