import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

import { tableOf } from "./page-table.ts";

const read = (name: string) => readFile(join(import.meta.dirname, `${name}.md`), "utf8");
const rows = tableOf(await read("security"), "command", "reads", "sends the key to", "writes");
const [, reference = ""] = (await read("cli")).split("<!-- commands -->");
const sections = new Map(
  reference
    .split(/^##+ (?=tryon)/m)
    .map((section) => [section.split("\n", 1)[0] ?? "", section] as const),
);

test("the page on security has a row for each command", () => {
  const shown = rows.flatMap(([command = ""]) => command.split(", "));
  // A command that needs another one after it does nothing by itself.
  const groups = new Set(["", "tryon", "tryon jobs", "tryon-mock", "tryon-webhooks"]);
  const names = [...sections.keys()].filter((name) => !groups.has(name));
  expect(shown.toSorted()).toEqual(names.map((name) => `\`${name}\``).toSorted());
});

test("the page on security names each option that is a file or folder, and none that does not exist", () => {
  for (const [command = "", ...cells] of rows) {
    const options = command.split(", ").flatMap((name) => {
      const section = sections.get(name.slice(1, -1)) ?? "";
      return [...section.matchAll(/`(?:-\w, )?(--[a-z-]+)(?: <([^>]+)>)?`/g)].map(
        ([, flag = "", value = ""]) => ({
          flag,
          isFile: /file|folder|image/.test(value) && flag !== "--env-file",
        }),
      );
    });
    const named = cells.join().match(/--[a-z-]+/g) ?? [];
    expect(options.map(({ flag }) => flag)).toEqual(expect.arrayContaining(named));
    const text = cells.join().replaceAll("<out>", "--out");
    const missing = options.filter(({ flag, isFile }) => isFile && !text.includes(flag));
    expect(missing, command).toEqual([]);
  }
});
