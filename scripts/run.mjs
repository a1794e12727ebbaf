// Runs the tasks of the repository on a machine that has only Node ≥ 20 and npm. Installs the workspace first if that is
// missing or out of date, and Node 24 in npm's cache if the machine's Node is older.
import { execFileSync, spawn } from "node:child_process";
import { createHash, randomInt } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (path) => readFileSync(join(root, path), "utf8");
const bin = (name) => join(root, "node_modules/.bin", name);
const npx = (command) => ["npx", "--yes", ...command.split(" ")];
const pnpm = npx(JSON.parse(read("package.json")).packageManager);
const fromSource = (path) => ["node", "--conditions=@tryon/source", path];

const vitest = ["node", "node_modules/vitest/vitest.mjs", "run"];
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
  ceilings: [["node", "scripts/ceilings.ts"]],
  generate: [["node", "scripts/generate.ts"]],
  words: [["node", "scripts/words.ts"]],
  // Turns changesets into versions and changelogs, and updates what names versions.
  versions: [
    [bin("changeset"), "version"],
    [...pnpm, "install", "--lockfile-only", "--no-frozen-lockfile", "--loglevel=warn"],
    ["node", "scripts/generate.ts"],
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
  const env = { ...process.env, ...environment };
  const child = spawn(command, args, { cwd: root, stdio: "inherit", env });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}

/** Returns the path of Node 24 or later: this one, or one that npm keeps in its cache for all clones. */
function findNode() {
  if (Number.parseInt(process.versions.node, 10) >= 24) return process.execPath;
  const [command, ...args] = npx("--package=node@24.21.0 -- node --print process.execPath");
  return execFileSync(command, args, { encoding: "utf8" }).trim();
}

/** Installs what the lock file names, unless that has been done, and returns the path of Node. */
async function install() {
  const stamp = join(root, "node_modules/.installed");
  const lock = createHash("sha256").update(read("pnpm-lock.yaml")).digest("hex");
  const [installed, path = ""] = existsSync(stamp) ? readFileSync(stamp, "utf8").split("\n") : [];
  if (installed === lock && existsSync(path)) return path;
  process.stderr.write("Installing the workspace, which is needed once…\n");
  const options = ["--frozen-lockfile", "--reporter=append-only", "--loglevel=warn"];
  const installing = run([...pnpm, "install", ...options]);
  // Runs beside the other process.
  const node = findNode();
  const code = await installing;
  if (code !== 0) process.exit(code);
  writeFileSync(stamp, `${lock}\n${node}`);
  return node;
}

const [name = "", ...args] = process.argv.slice(2);
const commands = Object.hasOwn(tasks, name) ? tasks[name] : [];
if (commands.length === 0) {
  process.stderr.write(`Unknown task "${name}". Tasks: ${Object.keys(tasks).join(", ")}.\n`);
  process.exit(2);
}
const path = `${dirname(await install())}${delimiter}${process.env.PATH}`;
let code = 0;
for (const command of commands) {
  // Only a task of one command has arguments.
  const rest = commands.length === 1 ? args : [];
  const environment = { ...environments[name], PATH: path };
  if (code === 0) code = await run([...command, ...rest], environment);
}
process.exitCode = code;
