import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { node, root } from "@tryon/test-kit/repository";

import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";

import { showsFile } from "./blocks.ts";
import { knownOptions, optionsIn } from "./commands.ts";
import { shownPages } from "./pages.ts";
import { placeOf, programsOf, runs } from "./running.ts";

const run = promisify(execFile);

/** Of what starts programs, on a machine that is busy with others, in milliseconds. */
const timeout = 180_000;

/** What can stand behind a fence, so that whatever is shown is held to something. */
const languages = new Set(["ts", "tsx", "json", "jsonc", "yaml", "html", "sh", "sql", "text"]);

const pages = await shownPages();
const blocks = pages.flatMap((page) => page.blocks);
const programs = programsOf(pages);

describe("the code that people are shown", () => {
  it("says what language it is in", () => {
    const others = blocks.filter(({ language }) => !languages.has(language));
    expect(others.map((block) => `${placeOf(block)} ${block.language}`)).toEqual([]);
  });

  it("has a name, once in a page", () => {
    const named = programs.map(({ snippet }) => `${snippet.page} ${snippet.name}`);
    expect(named.filter((name, index) => named.indexOf(name) !== index)).toEqual([]);
    const unnamed = programs.filter(({ name }) => !/^[a-z\d-]+\.tsx?$/.test(name));
    expect(unnamed.map(({ place }) => place)).toEqual([]);
  });

  it("is run, every program of it", () => {
    expect(programs.length).toBeGreaterThanOrEqual(25);
    // Either its output stands below it, or a check of that name stands beside the page.
    const loose = programs.filter(({ check, twice }) => check === undefined || twice);
    expect(loose.map(({ place, name }) => `${place} ${name}`)).toEqual([]);
  });

  it("has no check without code", () => {
    const idle = pages.flatMap(({ path, checks, blocks: shown }) =>
      Object.keys(checks)
        .filter((name) => !shown.some((block) => block.name === name))
        .map((name) => `${path} ${name}`),
    );
    expect(idle).toEqual([]);
  });

  runs(programs.filter(({ slow }) => !slow));

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
        // Few apps set this one, and with it every process.env.NAME would need brackets.
        compilerOptions: { noPropertyAccessFromIndexSignature: false, jsx: "react-jsx" },
        include: ["*.ts", "*.tsx"],
      }),
    );
    const compiler = join(root, "node_modules/typescript-7/bin/tsc");
    const compiled = await run(node, [compiler, "-p", typed]).catch((error: unknown) => error);
    await rm(typed, { recursive: true });
    // Not of the output alone: a compiler that breaks down has none either.
    expect(compiled).toEqual({ stdout: "", stderr: "" });
  });

  it("is JSON and YAML where it says so", () => {
    const parsers: Readonly<Record<string, (text: string) => unknown>> = {
      json: JSON.parse,
      yaml: parseYaml,
    };
    const unread = blocks.flatMap((block) => {
      try {
        parsers[block.language]?.(block.code);
        return [];
      } catch (error) {
        return [`${placeOf(block)} ${String(error)}`];
      }
    });
    expect(unread).toEqual([]);
  });

  it("gives our commands options that they have", { timeout }, async () => {
    const known = await knownOptions();
    const shown = blocks
      .filter(({ language }) => language === "sh" || language === "yaml" || language === "json")
      .flatMap((block) => optionsIn(block).map((option) => ({ option, place: placeOf(block) })));
    expect(shown.length).toBeGreaterThanOrEqual(10);
    expect(shown.filter(({ option }) => !known.has(option))).toEqual([]);
  });

  it("shows files of the repository that are there", () => {
    const shown = blocks.filter(showsFile);
    expect(shown.filter(({ name }) => !/^(examples|packages|spec)\//.test(name))).toEqual([]);
  });
});
