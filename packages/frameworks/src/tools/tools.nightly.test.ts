import { join } from "node:path";

import { expect, it } from "vitest";

import { works, writeResults, type Result } from "../result.ts";
import { runTool } from "./run-tool.ts";
import { tools } from "./tools.ts";
import { command, notApplicable, resultOf } from "./tools-page.ts";

/** Ids of the only tools to run, separated by commas. */
const selected = process.env["TRYON_TOOL"]?.split(",");
const isWriting = process.env["TRYON_FRAMEWORKS"] === "write";
const path = join(import.meta.dirname, "results.json");

const found: Record<string, Result> = {};

it.each(tools.filter(({ id }) => selected?.includes(id) ?? true))(
  "$title reads the contract",
  async (tool) => {
    const result = await runTool(tool);
    found[tool.id] = result;
    if (isWriting) await writeResults({ path, rows: tools, selected }, found);
    else if (JSON.stringify(result) !== JSON.stringify(resultOf(tool)))
      process.stdout.write(
        `${tool.title} differs, \`${command}\` writes: ${JSON.stringify(result)}\n`,
      );
    const failed = Object.entries(result.outcomes).filter(
      ([name, outcome]) =>
        ![works, notApplicable].includes(outcome) && tool.notes?.[name] === undefined,
    );
    expect(failed).toEqual([]);
  },
  600_000,
);
