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

const tasks = {
  start: (args) => [[node, sourceFirst, "examples/quickstart/src/main.ts", ...args]],
  test: (args) => [
    [node, "scripts/generate.ts", "--check"],
    [node, "scripts/typecheck.mjs"],
    [bin("oxlint"), "--type-aware", "--deny-warnings"],
    [bin("oxfmt"), "--check"],
    [bin("knip")],
    [bin("vitest"), "run", ...args],
  ],
  "test:full": (args) => [[bin("vitest"), "run", ...args]],
  coverage: (args) => [[bin("vitest"), "run", "--project", "client", "--coverage", ...args]],
  bench: (args) => [[node, sourceFirst, "packages/bench/src/main.ts", ...args]],
  build: (args) => [[...pnpm, "--recursive", "--filter", "./packages/*", "run", "build", ...args]],
  mutation: (args) => [[node, "scripts/mutation.ts", ...args]],
  check: () => [[node, "scripts/check-packages.ts"]],
};

const environments = { "test:full": { TRYON_TESTS: "full" } };

/** Runs one command to its end, hands signals on to it, and gives its exit code. */
function run([command, ...args], environment = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: "inherit",
      env: { ...process.env, ...environment },
    });
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
    const handOn = (signal) => child.kill(signal);
    for (const signal of signals) process.on(signal, handOn);
    const end = (code, signal) => {
      for (const name of signals) process.off(name, handOn);
      resolve(signal === null ? (code ?? 1) : 128 + (signal === "SIGINT" ? 2 : 15));
    };
    child.once("error", (error) => {
      process.stderr.write(`Cannot run ${command}: ${error.message}\n`);
      end(127, null);
    });
    child.once("exit", end);
  });
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
for (const command of task(args)) {
  if (code !== 0) break;
  code = await run(command, environments[name]);
}
process.exitCode = code;
