import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "@tryon/test-kit/repository";
import { expect, test } from "vitest";

import { tableOf } from "./page-table.ts";

const folder = join(root, "examples");
const code = "**/*.{ts,tsx,html,css,yml}";
/** Examples of which the tests are the code. */
const ofTests = new Set(["ci", "playwright", "vitest"]);

const rows = tableOf(
  readFileSync(join(folder, "README.md"), "utf8"),
  "example",
  "shows",
  "run",
  "lines",
);

test.each(rows)(
  "%s has about the lines of code that the page says",
  (link, _shows, _run, lines) => {
    const [, name = ""] = /\]\((.+)\)/.exec(link ?? "") ?? [];
    const exclude = ["**/{node_modules,out,dist,test,testing,.next,.wrangler}/**", "**/*.d.ts"];
    if (!ofTests.has(name)) exclude.push("**/*.test.ts");
    const count = globSync(code, { cwd: join(folder, name), exclude })
      .map((file) => readFileSync(join(folder, name, file), "utf8").split("\n").length - 1)
      .reduce((all, one) => all + one, 0);
    expect(Math.abs(count - Number(lines)), `${name}: ${count}`).toBeLessThanOrEqual(
      count / 10 + 5,
    );
  },
);

test("the page has each example", () => {
  const names = globSync("*/README.md", { cwd: folder }).map((file) => file.split("/")[0] ?? "");
  const listed = new Set(rows.map(([link = ""]) => /\]\((.+)\)/.exec(link)?.[1]));
  const missing = names.filter((name) => !listed.has(name));
  expect(missing.toSorted()).toEqual(["assets", "consumer-tests"]);
});
