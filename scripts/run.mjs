// Runs the tasks of the repository on a machine that has only Node ≥ 20 and npm. Installs the workspace first if that is
// missing or out of date, then runs the task with the repository's own Node.
import { spawn } from "node:child_process";
import { createHash, randomInt } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (path) => readFileSync(join(root, path), "utf8");
const node = join(root, "node_modules/node/bin/node");
const bin = (name) => join(root, "node_modules/.bin", name);
const npx = (command) => ["npx", "--yes", ...command.split(" ")];
const pnpm = npx(JSON.parse(read("package.json")).packageManager);
const fromSource = (path) => [node, "--conditions=@tryon/source", path];

const vitest = [bin("vitest"), "run"];
// Only mutation testing needs Stryker, so the workspace does not install it.
const mutation = npx(
  "--package=@stryker-mutator/core@10.1.1 --package=@stryker-mutator/vitest-runner@10.1.1 stryker run packages/webhooks/stryker.config.json",
);
const bench = fromSource("packages/bench/src/main.ts");

/** Commands of each task, run one after another. */
const tasks = {
  start: [fromSource("examples/quickstart/src/main.ts")],
  test: [vitest],
  "test:full": [vitest],
  "test:nightly": [vitest, mutation, bench],
  "test:all": [vitest, mutation, bench],
  runtimes: [[...vitest, "--project", "runtimes", "runtimes.nightly"]],
  mutation: [mutation],
  bench: [bench],
  build: [[...pnpm, "--recursive", "--filter", "./packages/*", "run", "build"]],
  check: [[...vitest, "scripts/packages"]],
  docs: [fromSource("docs/site/main.ts")],
  // Turns changesets into versions and changelogs, and updates what names versions.
  versions: [
    [bin("changeset"), "version"],
    [...pnpm, "install", "--lockfile-only", "--no-frozen-lockfile", "--loglevel=warn"],
    [node, "scripts/generate.ts"],
    [bin("oxfmt")],
  ],
};

// Programs that tests start from sources keep their compiled code here.
const cache = { NODE_COMPILE_CACHE: join(root, "node_modules/.compile-cache") };
const { TRYON_SEED = String(randomInt(2 ** 31)) } = process.env;
const environments = {
  test: cache,
  "test:full": { ...cache, TRYON_TESTS: "full" },
  "test:nightly": { ...cache, TRYON_TESTS: "nightly", TRYON_SEED },
  "test:all": { ...cache, TRYON_TESTS: "nightly" },
  check: { TRYON_TESTS: "full" },
  runtimes: { TRYON_TESTS: "nightly", TRYON_RUNTIMES: "write" },
};

/** Runs a command to its end, forwards signals to it, and returns its exit code. */
function run([command, ...args], environment) {
  return new Promise((resolve) => {
    const env = { ...process.env, ...environment };
    const child = spawn(command, args, { cwd: root, stdio: "inherit", env });
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
    const forward = (signal) => child.kill(signal);
    for (const signal of signals) process.on(signal, forward);
    const end = (code, signal) => {
      for (const name of signals) process.off(name, forward);
      resolve(code ?? 128 + (signal === "SIGINT" ? 2 : 15));
    };
    child.once("error", (error) => {
      process.stderr.write(`Cannot run ${command}: ${error.message}\n`);
      end(127);
    });
    child.once("exit", end);
  });
}

/** Installs what the lock file names, unless that has been done. */
async function install() {
  const stamp = join(root, "node_modules/.installed-lock");
  const lock = createHash("sha256").update(read("pnpm-lock.yaml")).digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock && existsSync(node)) return 0;
  process.stderr.write("Installing the workspace, which is needed once…\n");
  const options = ["--frozen-lockfile", "--reporter=append-only", "--loglevel=warn"];
  const code = await run([...pnpm, "install", ...options]);
  if (code !== 0) return code;
  // The C headers of Node, which nothing here compiles against, are a seventh of the install.
  const binaries = join(root, "node_modules/node/node_modules");
  for (const name of readdirSync(binaries).filter((one) => one.startsWith("node-")))
    rmSync(join(binaries, name, "include"), { recursive: true, force: true });
  writeFileSync(stamp, lock);
  return 0;
}

const [name = "", ...args] = process.argv.slice(2);
const commands = Object.hasOwn(tasks, name) ? tasks[name] : [];
if (commands.length === 0) {
  process.stderr.write(`Unknown task "${name}". Tasks: ${Object.keys(tasks).join(", ")}.\n`);
  process.exit(2);
}
let code = await install();
for (const command of commands) {
  // Only a task of one command has arguments.
  const rest = commands.length === 1 ? args : [];
  if (code === 0) code = await run([...command, ...rest], environments[name]);
}
process.exitCode = code;
