// Runs the tasks of the repository on a machine that has only Node ≥ 20 and npm. Installs the workspace first if that is
// missing or out of date, then runs the task with the repository's own Node.
import { spawn } from "node:child_process";
import { createHash, randomInt } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const node = join(root, "node_modules/node/bin/node");
const bin = (name) => join(root, "node_modules/.bin", name);
const sourceFirst = "--conditions=@tryon/source";

const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const pnpm = ["npx", "--yes", packageManager];
// Only mutation testing needs it, so the workspace does not install it.
const stryker = ["core", "vitest-runner"].map(
  (name) => `--package=@stryker-mutator/${name}@10.1.1`,
);

const checks = [
  [node, "scripts/typecheck.mjs"],
  [bin("oxlint"), "--type-aware", "--deny-warnings"],
  [bin("knip")],
  [node, "scripts/generate.ts", "--check"],
  [node, "scripts/ceilings.ts"],
  [bin("oxfmt"), "--check"],
];
const vitest = [bin("vitest"), "run"];
const mutation = [
  "npx",
  "--yes",
  ...stryker,
  "stryker",
  "run",
  "packages/webhooks/stryker.config.json",
];
const bench = [node, sourceFirst, "packages/bench/src/main.ts"];
const check = [
  [node, "scripts/typecheck.mjs", "typescript"],
  [node, "scripts/check-packages.ts"],
  [node, "scripts/ceilings.ts", "--types"],
];

/** The steps of each task, one after another: a command, or lists of commands that run side by side. */
const tasks = {
  start: (args) => [[node, sourceFirst, "examples/quickstart/src/main.ts", ...args]],
  // With the name of a file, only its tests run.
  test: (args) => {
    const tests = [...vitest, ...args];
    return args.every((arg) => arg.startsWith("-")) ? [{ sideBySide: [[tests], checks] }] : [tests];
  },
  "test:full": (args) => [[...vitest, ...args]],
  "test:nightly": () => [vitest, mutation, bench],
  "test:all": () => [{ sideBySide: [checks] }, vitest, mutation, bench, ...check],
  runtimes: (args) => [[...vitest, "--project", "runtimes", "runtimes.nightly", ...args]],
  mutation: (args) => [[...mutation, ...args]],
  bench: (args) => [[...bench, ...args]],
  build: (args) => [[...pnpm, "--recursive", "--filter", "./packages/*", "run", "build", ...args]],
  check: () => check,
  docs: (args) => [[node, sourceFirst, "docs/site/main.ts", ...args]],
  // Turns changesets into versions and changelogs, and updates what names versions.
  versions: () => [
    [bin("changeset"), "version"],
    [...pnpm, "install", "--lockfile-only", "--no-frozen-lockfile", "--loglevel=warn"],
    [node, "scripts/generate.ts"],
    [bin("oxfmt")],
  ],
};

const { TRYON_SEED: newSeed = String(randomInt(2 ** 31)) } = process.env;
// Programs that tests start from sources keep their compiled code here.
const cache = { NODE_COMPILE_CACHE: join(root, "node_modules/.compile-cache") };
const environments = {
  test: cache,
  "test:full": { ...cache, TRYON_TESTS: "full" },
  "test:nightly": { ...cache, TRYON_TESTS: "nightly", TRYON_SEED: newSeed },
  "test:all": { ...cache, TRYON_TESTS: "nightly" },
  runtimes: { TRYON_TESTS: "nightly", TRYON_RUNTIMES: "write" },
};

/** Runs one command to its end, forwards signals to it, and returns its exit code. */
function run([command, ...args], environment = {}, keepsOutput = false) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: keepsOutput ? ["ignore", "pipe", "pipe"] : "inherit",
      env: { ...process.env, ...environment },
    });
    const output = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (bytes) => output.push(bytes));
    }
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
    const forward = (signal) => child.kill(signal);
    for (const signal of signals) process.on(signal, forward);
    const end = (code, signal) => {
      for (const name of signals) process.off(name, forward);
      process.stdout.write(Buffer.concat(output));
      resolve(signal === null ? (code ?? 1) : 128 + (signal === "SIGINT" ? 2 : 15));
    };
    child.once("error", (error) => {
      process.stderr.write(`Cannot run ${command}: ${error.message}\n`);
      end(127, null);
    });
    // Output can arrive until the streams are closed.
    child.once(keepsOutput ? "close" : "exit", end);
  });
}

/** Runs lists of commands side by side, each to its end whatever fails, and names in the end what failed. */
async function runSideBySide(lists, environment) {
  const failed = [];
  const runList = async (commands, keepsOutput) => {
    for (const command of commands) {
      const code = await run(command, environment, keepsOutput);
      if (code !== 0) failed.push({ code, command: command.join(" ").replaceAll(root, "") });
    }
  };
  await Promise.all(lists.map((commands, index) => runList(commands, index > 0)));
  for (const { command } of failed) process.stderr.write(`Failed: ${command}\n`);
  return failed[0]?.code ?? 0;
}

/** Installs what the lock file names, unless that has been done. */
async function install() {
  const stamp = join(root, "node_modules/.installed-lock");
  const lock = createHash("sha256")
    .update(readFileSync(join(root, "pnpm-lock.yaml")))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock && existsSync(node)) return 0;
  process.stderr.write("Installing the workspace, which is needed once…\n");
  const code = await run([
    ...pnpm,
    "install",
    "--frozen-lockfile",
    "--reporter=append-only",
    "--loglevel=warn",
  ]);
  if (code === 0) writeFileSync(stamp, lock);
  return code;
}

const [name, ...args] = process.argv.slice(2);
const task = Object.hasOwn(tasks, name ?? "") ? tasks[name] : undefined;
if (task === undefined) {
  process.stderr.write(`Unknown task "${name}". Tasks: ${Object.keys(tasks).join(", ")}.\n`);
  process.exit(2);
}
let code = await install();
const { TRYON_SEED: seed } = environments[name] ?? {};
const sayAgain = () => {
  if (seed === undefined) return;
  process.stdout.write(
    `Seed ${seed}: run the same cases with TRYON_SEED=${seed} npm run ${name}\n`,
  );
};
sayAgain();
for (const step of task(args)) {
  if (code !== 0) break;
  code = await (Array.isArray(step)
    ? run(step, environments[name])
    : runSideBySide(step.sideBySide, environments[name]));
}
sayAgain();
process.exitCode = code;
