import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { root as cwd } from "@tryon/test-kit/repository";
import { expect, it } from "vitest";

const read = (file: string): string => readFileSync(join(cwd, file), "utf8");
const page = read("docs/support.md");

it("lists only versions that a test installs", () => {
  const code = globSync("packages/*/{src,test}/**/*.ts", { cwd }).map(read);
  // The catalog and the list of runtimes have `name: version`, and tests `name@version`.
  const pairs = [read("pnpm-workspace.yaml"), ...code].map((text) =>
    text.replaceAll(/^ {2}"?([\w@/.-]+?)"?: "?(\d[\w.]*).*$/gm, "$1@$2"),
  );
  const installed = pairs.join("\n");
  const listed = [...page.matchAll(/`((?:@[\w-]+\/)?[\w-]+@\d[\w.]*)`/g)].map(
    ([, name = ""]) => name,
  );
  expect(listed.length).toBeGreaterThan(10);
  // The list of msw releases has the oldest one without its name.
  expect(installed).toContain('releases = ["2.11.0", "2", "3"]');
  expect(listed.filter((version) => !installed.includes(version))).toEqual(["msw@2.11.0"]);
});

it("states the oldest Node version of each published package", () => {
  const manifests = globSync("packages/*/package.json", { cwd }).map(
    (file) => JSON.parse(read(file)) as { name: string; private?: true; engines: { node: string } },
  );
  for (const { name, engines } of manifests.filter((manifest) => !manifest.private)) {
    const row = page.split("\n").find((line) => line.startsWith(`| \`${name}\``));
    expect(row?.split("|")[2]?.trim(), name).toBe(engines.node.replace(">=", "≥ "));
  }
});
