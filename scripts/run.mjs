// Runs the tasks of the repository on a machine that has only Node ≥ 20 and npm: installs the pinned package manager's
// result first where it is missing or old, then runs the task under the repository's own Node.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
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

const tasks = {
  start: (args) => [[node, sourceFirst, "examples/quickstart/src/main.ts", ...args]],
  test: (args) => [
    // Those of one list know nothing of each other and run two at a time, the longest first.
    [
      [node, "scripts/typecheck.mjs"],
      [bin("oxlint"), "--type-aware", "--deny-warnings"],
      [bin("knip")],
      [node, "scripts/generate.ts", "--check"],
      [bin("oxfmt"), "--check"],
    ],
    [bin("vitest"), "run", ...args],
  ],
  "test:full": (args) => [[bin("vitest"), "run", ...args]],
  runtimes: (args) => [[bin("vitest"), "run", "--project", "runtimes", "runtimes.full", ...args]],
  coverage: (args) => [[bin("vitest"), "run", "--project", "client", "--coverage", ...args]],
  bench: (args) => [[node, sourceFirst, "packages/bench/src/main.ts", ...args]],
  build: (args) => [[...pnpm, "--recursive", "--filter", "./packages/*", "run", "build", ...args]],
  docs: (args) => [[node, sourceFirst, "docs/site/main.ts", ...args]],
  mutation: (args) => [
    [
      "npx",
      "--yes",
      ...stryker,
      "stryker",
      "run",
      "packages/webhooks/stryker.config.json",
      ...args,
    ],
  ],
  check: () => [[node, "scripts/check-packages.ts"]],
  // The changes that are noted become versions and changelogs; what names versions follows them.
  versions: () => [
    [bin("changeset"), "version"],
    [...pnpm, "install", "--lockfile-only", "--no-frozen-lockfile", "--loglevel=warn"],
    [node, "scripts/generate.ts"],
    [bin("oxfmt")],
  ],
};

const environments = {
  // Many tests start a program of their own from its sources, whose types need not be stripped each time anew.
  test: { NODE_COMPILE_CACHE: join(root, "node_modules/.compile-cache") },
  "test:full": { TRYON_TESTS: "full" },
  runtimes: { TRYON_TESTS: "full", TRYON_RUNTIMES: "write" },
};

/** Runs one command to its end, hands signals on to it, and gives its exit code. */
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
    const handOn = (signal) => child.kill(signal);
    for (const signal of signals) process.on(signal, handOn);
    const end = (code, signal) => {
      for (const name of signals) process.off(name, handOn);
      process.stdout.write(Buffer.concat(output));
      resolve(signal === null ? (code ?? 1) : 128 + (signal === "SIGINT" ? 2 : 15));
    };
    child.once("error", (error) => {
      process.stderr.write(`Cannot run ${command}: ${error.message}\n`);
      end(127, null);
    });
    // Output can come until the streams are closed, too.
    child.once(keepsOutput ? "close" : "exit", end);
  });
}

/** Runs commands two at a time, each one's output in one piece, and gives the exit code of the first that fails. */
async function runTwoAtATime(commands, environment) {
  const waiting = [...commands];
  let failed = 0;
  const next = async () => {
    while (failed === 0 && waiting.length > 0) {
      const code = await run(waiting.shift(), environment, true);
      failed ||= code;
    }
  };
  await Promise.all([next(), next()]);
  return failed;
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
  process.stderr.write(`There is no task "${name}"; there are ${Object.keys(tasks).join(", ")}.\n`);
  process.exit(2);
}
let code = await install();
for (const step of task(args)) {
  if (code !== 0) break;
  const oneCommand = typeof step[0] === "string";
  code = await (oneCommand ? run : runTwoAtATime)(step, environments[name]);
}
process.exitCode = code;
