// Builds the packages and checks what people would install: the manifest (publint), what resolvers make of the types
// (attw), what is in the tarball, and the weight of what browsers would load (size-limit).
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync, gzipSync } from "node:zlib";

import * as esbuild from "esbuild";

import { build, folderOf, pack, published, root } from "./packages.ts";

const run = promisify(execFile);

/** A tool that only this check needs, which therefore is not installed with the workspace. */
const attw = "@arethetypeswrong/cli@0.18.5";

/** What people may have to load, in bytes, minified and compressed; a goal that is not reached yet is said at each run. */
const budgets = [
  { name: "client", imported: "TryOn", bytes: 15_500, goal: 12_000 },
  { name: "webhooks", imported: "verify", bytes: 2_500, goal: 2_500 },
] as const;

/** Packages whose code is for ES modules alone: what runs on Node by itself, as a command or in tests. */
const esmOnly: ReadonlySet<string> = new Set(["contract"]);

const unwanted = /\.test\.|\/testing\/|\.map$|tsconfig|\.tsbuildinfo/;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function checkTarball(tarball: string): Promise<void> {
  const { stdout } = await run("tar", ["-tzf", tarball]);
  const files = stdout.trim().split("\n");
  const stray = files.filter((file) => unwanted.test(file));
  if (stray.length > 0) throw new Error(`${tarball} holds what nobody needs: ${stray.join(", ")}`);
  for (const needed of ["package/LICENSE", "package/README.md", "package/package.json"]) {
    if (!files.includes(needed)) throw new Error(`${tarball} lacks ${needed}.`);
  }
  const text = gunzipSync(await readFile(tarball)).toString("latin1");
  if (text.includes(root)) throw new Error(`${tarball} names a folder of this machine.`);
  if (text.includes("@tryon/source")) throw new Error(`${tarball} still points at the sources.`);
  say(`  ${files.length} files, ${Math.round((await readFile(tarball)).length / 1_000)} kB packed`);
}

async function checkWeight(budget: (typeof budgets)[number]): Promise<void> {
  const { name, imported } = budget;
  const bundled = await esbuild.build({
    stdin: {
      contents: `export { ${imported} } from "./dist/index.js";`,
      resolveDir: folderOf(name),
    },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    write: false,
  });
  const [file] = bundled.outputFiles;
  if (file === undefined) throw new Error(`Nothing was bundled of @tryon/${name}.`);
  const bytes = gzipSync(file.contents, { level: 9 }).length;
  say(`{ ${imported} } of @tryon/${name}: ${bytes} of ${budget.bytes} bytes`);
  if (bytes > budget.goal)
    say(`  the goal of ${budget.goal} is missed by ${bytes - budget.goal} bytes`);
  if (bytes > budget.bytes) throw new Error(`@tryon/${name} is over its budget of bytes.`);
}

const folder = await mkdtemp(join(tmpdir(), "tryon-packages-"));
try {
  for (const name of published) {
    say(`@tryon/${name}`);
    await build(name);
    const publint = join(root, "node_modules/publint/src/cli.js");
    await run(process.execPath, [publint, "--strict", "--pack", "false", folderOf(name)]);
    say("  publint: nothing to say");
    const tarball = await pack(name, folder);
    const profile = esmOnly.has(name) ? "esm-only" : "node16";
    await run("npx", ["--yes", attw, tarball, "--profile", profile], { cwd: folder });
    say("  attw: types resolve in every way that is supported");
    await checkTarball(tarball);
  }
  for (const budget of budgets) await checkWeight(budget);
} catch (error) {
  const output = error instanceof Error && "stdout" in error ? String(error.stdout) : "";
  process.stderr.write(`${output}${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}
