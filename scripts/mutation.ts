// Mutation testing of what verifies and signs webhooks: every small change of the code has to make a fast test fail, or
// stand in the list of those that change no decision, with the reason. Takes some minutes; no part of .ci/run.
// `npm run mutation -- packages/webhooks/src/verification/event.ts` looks at one file alone.
import { execFile, spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { root } from "@tryon/test-kit/repository";

const run = promisify(execFile);

/** What only this needs, and the workspace does without. */
const tools = ["@stryker-mutator/core@10.1.1", "@stryker-mutator/vitest-runner@10.1.1"];

const webhooks = "packages/webhooks";
const listed = join(root, webhooks, "mutation-survivors.json");

/** What decides, with either back end, and what signs. */
const mutated = [
  "verification/!(*.test).ts",
  "signing/sign.ts",
  "node/{held-body,node-crypto,secrets-at-once,verify-sync}.ts",
].map((path) => `${webhooks}/src/${path}`);

/** The tests that may notice: the fast ones of the same, which start no server. */
const tests = [
  "verification/*.test.ts",
  "signing/*.test.ts",
  "fuzz/*.test.ts",
  "node/{both-back-ends,verify-sync}.test.ts",
].map((path) => `src/${path}`);

/** A change that no test noticed: the text that was replaced, and by what. */
interface Survivor {
  readonly file: string;
  readonly line: string;
  readonly replaced: string;
  readonly by: string;
}
type ListedSurvivor = Survivor & { readonly why: string };

/** As much of Stryker's report as is read here. */
interface Report {
  readonly files: Readonly<
    Record<string, { readonly source: string; readonly mutants: readonly Mutant[] }>
  >;
}
interface Mutant {
  readonly status: string;
  readonly replacement: string;
  readonly location: { readonly start: Position; readonly end: Position };
}
interface Position {
  readonly line: number;
  readonly column: number;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Installs the tools in a folder, and lets them find the test runner of the workspace. */
async function installTools(folder: string): Promise<void> {
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), '{ "private": true }');
  const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--legacy-peer-deps"];
  await run("npm", ["install", ...flags, ...tools], { cwd: folder });
  await symlink(join(root, "node_modules/vitest"), join(folder, "node_modules/vitest"));
}

/** Copies what the tests need, so that nothing in the workspace is touched. */
async function copySources(folder: string): Promise<void> {
  for (const path of ["package.json", "spec", `${webhooks}/package.json`, `${webhooks}/src`]) {
    await cp(join(root, path), join(folder, path), { recursive: true });
  }
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  const config = {
    resolve: { conditions: ["@tryon/source"] },
    ssr: { resolve: { conditions: ["@tryon/source"] } },
    test: {
      root: webhooks,
      include: tests,
      exclude: ["**/*.full.test.ts"],
      testTimeout: 30_000,
    },
  };
  await writeFile(join(folder, "vitest.config.js"), `export default ${JSON.stringify(config)};`);
}

/** Runs Stryker to its end, its progress in sight. */
async function mutate(
  folder: string,
  toolsFolder: string,
  files: readonly string[],
): Promise<Report> {
  const modules = join(toolsFolder, "node_modules/@stryker-mutator");
  const config = {
    testRunner: "vitest",
    plugins: [join(modules, "vitest-runner/dist/src/index.js")],
    vitest: { configFile: "vitest.config.js", related: false },
    mutate: files,
    coverageAnalysis: "perTest",
    concurrency: 2,
    reporters: ["progress-append-only", "json"],
  };
  await writeFile(join(folder, "stryker.config.json"), JSON.stringify(config));
  const stryker = spawn(process.execPath, [join(modules, "core/bin/stryker.js"), "run"], {
    cwd: folder,
    stdio: "inherit",
  });
  const code = await new Promise((resolve, reject) => {
    stryker.once("error", reject);
    stryker.once("exit", resolve);
  });
  if (code !== 0) throw new Error(`Stryker ended with ${String(code)}; what it wrote says why.`);
  const report = await readFile(join(folder, "reports/mutation/mutation.json"), "utf8");
  return JSON.parse(report) as Report;
}

function textBetween(source: string, start: Position, end: Position): string {
  const lines = source.split("\n").slice(start.line - 1, end.line);
  const last = lines.length - 1;
  return lines
    .map((line, index) =>
      line.slice(index === 0 ? start.column - 1 : 0, index === last ? end.column - 1 : undefined),
    )
    .join("\n");
}

/** The changes that came to one of these ends. */
function changesThat(ends: readonly string[], { files }: Report): Survivor[] {
  return Object.entries(files).flatMap(([path, { source, mutants }]) =>
    mutants
      .filter(({ status }) => ends.includes(status))
      .map(({ location: { start, end }, replacement }) => ({
        file: path.slice(`${webhooks}/src/`.length),
        line: source.split("\n")[start.line - 1]?.trim() ?? "",
        replaced: textBetween(source, start, end),
        by: replacement,
      })),
  );
}

function keyOf({ file, line, replaced, by }: Survivor): string {
  return JSON.stringify({ file, line, replaced, by }, null, 2);
}

const folder = await mkdtemp(join(tmpdir(), "tryon-mutation-"));
try {
  const chosen = process.argv.slice(2);
  await Promise.all([installTools(join(folder, "tools")), copySources(join(folder, "sources"))]);
  const report = await mutate(
    join(folder, "sources"),
    join(folder, "tools"),
    chosen.length > 0 ? chosen : mutated,
  );
  const known = JSON.parse(await readFile(listed, "utf8")) as ListedSurvivor[];
  const survivors = changesThat(["Survived", "NoCoverage"], report).map(keyOf);
  // One that only made the tests slow may do so or not.
  const killed = new Set(changesThat(["Killed"], report).map(keyOf));
  const all = Object.values(report.files).flatMap(({ mutants }) => mutants).length;
  say(`${all} changes, of which ${survivors.length} were noticed by no test.`);
  const fresh = survivors.filter((key) => !known.some((one) => keyOf(one) === key));
  const gone = known.filter((one) => killed.has(keyOf(one)));
  for (const key of fresh) say(`Add a test that notices this, or list it with the reason:\n${key}`);
  for (const one of gone) say(`Take this off the list, it is noticed now:\n${keyOf(one)}`);
  if (fresh.length > 0 || gone.length > 0) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}
