import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";

import { showsFile } from "./blocks.ts";
import { knownOptions, optionsIn } from "./commands.ts";
import { shownPages } from "./pages.ts";
import { ownTests, placeOf, programsOf } from "./running.ts";

/** Languages of code blocks. Each is checked in some way. */
const languages = new Set([
  "ts",
  "tsx",
  "js",
  "json",
  "jsonc",
  "yaml",
  "html",
  "sh",
  "sql",
  "python",
  "mermaid",
  "text",
]);

const pages = await shownPages();
const blocks = pages.flatMap((page) => page.blocks);
const programs = programsOf(pages);

describe("code on pages", () => {
  it("has a known language", () => {
    const others = blocks.filter(({ language }) => !languages.has(language));
    expect(others.map((block) => `${placeOf(block)} ${block.language}`)).toEqual([]);
  });

  it("has a name that is unique in its page", () => {
    const named = programs.map(({ snippet }) => `${snippet.page} ${snippet.name}`);
    expect(named.filter((name, index) => named.indexOf(name) !== index)).toEqual([]);
    const unnamed = programs.filter(({ name }) => !/^[a-z\d-]+\.tsx?$/.test(name));
    expect(unnamed.map(({ place }) => place)).toEqual([]);
  });

  it("is run by a test", () => {
    expect(programs.length).toBeGreaterThanOrEqual(25);
    // Each has either its output below it or a check of its name.
    const unchecked = programs.filter(
      ({ check, hasTwoChecks, snippet }) => hasTwoChecks || (!check && !ownTests.has(snippet.page)),
    );
    expect(unchecked.map(({ place, name }) => `${place} ${name}`)).toEqual([]);
  });

  it("exists for every check", () => {
    const unused = pages.flatMap(({ path, checks, blocks: shown }) =>
      Object.keys(checks)
        .filter((name) => !shown.some((block) => block.name === name))
        .map((name) => `${path} ${name}`),
    );
    expect(unused).toEqual([]);
  });

  it("parses as JSON or YAML if that is its language", () => {
    const parsers: Readonly<Record<string, (text: string) => unknown>> = {
      json: JSON.parse,
      yaml: parseYaml,
    };
    const invalid = blocks.flatMap((block) => {
      try {
        parsers[block.language]?.(block.code);
        return [];
      } catch (error) {
        return [`${placeOf(block)} ${String(error)}`];
      }
    });
    expect(invalid).toEqual([]);
  });

  it("passes only existing options to our commands", () => {
    const known = knownOptions(pages.find(({ path }) => path === "docs/guides/cli.md")?.text ?? "");
    const shown = blocks
      .filter(({ language }) => /^(?:sh|yaml|json)$/.test(language))
      .flatMap((block) => optionsIn(block).map((option) => ({ option, place: placeOf(block) })));
    expect(shown.length).toBeGreaterThanOrEqual(10);
    expect(shown.filter(({ option }) => !known.has(option))).toEqual([]);
  });

  // Code of others is what a user has today.
  const own = blocks.filter(({ language, kind }) => /^tsx?$/.test(language) && kind !== "peer");

  it("writes to paths of job ids and encoded names only", () => {
    const path = /\.save\(.*\$\{(?!encodeURIComponent\(|job_id\}|job\.id\})|\.save\([^")]*\+/;
    expect(own.filter(({ code }) => path.test(code)).map(placeOf)).toEqual([]);
  });

  it("logs no signed URL", () => {
    const log = /console\.\w+\(.*(?:\bresult_url(?! !== null)|\.url\(\))/;
    expect(own.filter(({ code }) => log.test(code)).map(placeOf)).toEqual([]);
  });

  it("embeds only files of examples, packages and spec", () => {
    const shown = blocks.filter(showsFile);
    expect(shown.filter(({ name }) => !/^(examples|packages|spec)\//.test(name))).toEqual([]);
  });
});
