import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { node, root } from "@tryon/test-kit/repository";
import { describe, expect, it } from "vitest";

import { knownOptions, optionsIn } from "./commands.ts";
import { shownPages } from "./pages.ts";
import { placeOf, programsOf, runs, timeout } from "./running.ts";

const run = promisify(execFile);

const pages = await shownPages();
const blocks = pages.flatMap((page) => page.blocks);
const programs = programsOf(pages);

describe("code on pages", () => {
  runs(programs);

  it("compiles under the strictest options", { timeout }, async () => {
    const places = join(root, "docs/.snippets");
    await mkdir(places, { recursive: true });
    const typed = await mkdtemp(join(places, "typed-"));
    for (const [index, { snippet }] of programs.entries()) {
      await writeFile(join(typed, `${index}-${snippet.name}`), snippet.code);
    }
    await writeFile(
      join(typed, "tsconfig.json"),
      JSON.stringify({
        extends: join(root, "tsconfig.json"),
        // Few apps set this option, and it would require brackets for every process.env.NAME.
        compilerOptions: { noPropertyAccessFromIndexSignature: false, jsxImportSource: "react" },
        include: ["*.ts", "*.tsx"],
      }),
    );
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const compiled = await run(node, [compiler, "-p", typed]).catch((error: unknown) => error);
    await rm(typed, { recursive: true });
    // A compiler that crashes may print nothing, but then this is an error.
    expect(compiled).toEqual({ stdout: "", stderr: "" });
  });

  it("passes only existing options to our commands", { timeout }, async () => {
    const known = await knownOptions();
    const shown = blocks
      .filter(({ language }) => language === "sh" || language === "yaml" || language === "json")
      .flatMap((block) => optionsIn(block).map((option) => ({ option, place: placeOf(block) })));
    expect(shown.length).toBeGreaterThanOrEqual(10);
    expect(shown.filter(({ option }) => !known.has(option))).toEqual([]);
  });
});
