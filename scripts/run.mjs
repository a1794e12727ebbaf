// Runs a command with Node 24 on a machine that has only Node ≥ 20 and npm. Installs the workspace first if that is
// missing or out of date, and Node 24 in npm's cache if the machine's Node is older.
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, dirname } from "node:path";

const { packageManager } = JSON.parse(readFileSync("package.json", "utf8"));

/** Runs a command to its end, forwards signals to it, and returns its exit code. */
function run(command, ...args) {
  if (command === "pnpm") return run("npx", "--yes", packageManager, ...args);
  const child = spawn(command, args, { stdio: "inherit" });
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => child.kill(name));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}

/** Returns the path of Node 24 or later: this one, or one that npm keeps in its cache for all clones. */
function findNode() {
  if (Number.parseInt(process.versions.node, 10) >= 24) return process.execPath;
  const args = ["--yes", "--package=node@24.21.0", "--", "node", "--print", "process.execPath"];
  return execFileSync("npx", args, { encoding: "utf8" }).trim();
}

/** Installs what the lock file names, unless that has been done, and returns the path of Node. */
async function install() {
  const stamp = "node_modules/.installed";
  const lock = createHash("sha256").update(readFileSync("pnpm-lock.yaml")).digest("hex");
  const [installed, path = ""] = existsSync(stamp) ? readFileSync(stamp, "utf8").split("\n") : [];
  if (installed === lock && existsSync(path)) return path;
  process.stderr.write("Installing the workspace, which is needed once…\n");
  const installing = run("pnpm", "install", "--frozen-lockfile", "--loglevel=warn");
  const node = findNode();
  if ((await installing) !== 0) process.exit(1);
  writeFileSync(stamp, `${lock}\n${node}`);
  return node;
}

process.env.PATH = `${dirname(await install())}${delimiter}${process.env.PATH}`;
process.exitCode = await run(...process.argv.slice(2));
