import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";

import { showsFile } from "./blocks.ts";
import { shownPages } from "./pages.ts";
import { placeOf, programsOf } from "./running.ts";

/** What can stand behind a fence, so that whatever is shown is held to something. */
const languages = new Set([
  "ts",
  "tsx",
  "json",
  "jsonc",
  "yaml",
  "html",
  "sh",
  "sql",
  "text",
  "mermaid",
]);

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

  it("shows files of the repository that are there", () => {
    const shown = blocks.filter(showsFile);
    expect(shown.filter(({ name }) => !/^(examples|packages|spec)\//.test(name))).toEqual([]);
  });
});
