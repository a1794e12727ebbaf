// Builds the packages and checks what people would install: the manifest (publint), what resolvers make of the types
// (attw), what is in the tarball, and the weight of what browsers would load (size-limit).
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";

import * as esbuild from "esbuild";

import { firstLoad } from "../packages/bench/src/client/first-load.ts";
import { build, folderOf, pack, published, root } from "./packages.ts";

const run = promisify(execFile);

/** A tool that only this check needs, which therefore is not installed with the workspace. */
const attw = "@arethetypeswrong/cli@0.18.5";

/** What a page has to load before anything is called, in bytes, minified and compressed. */
const budgets = [
  { name: "client", entry: "dist/browser/index.js", imported: "TryOn", bytes: 12_000 },
  { name: "webhooks", entry: "dist/index.js", imported: "verify", bytes: 2_500 },
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

async function checkWeight({
  name,
  entry,
  imported,
  bytes,
}: (typeof budgets)[number]): Promise<void> {
  const bundle = async (splitting: boolean) => {
    const { outputFiles, metafile } = await esbuild.build({
      stdin: { contents: `export { ${imported} } from "./${entry}";`, resolveDir: folderOf(name) },
      absWorkingDir: folderOf(name),
      outdir: "page",
      bundle: true,
      minify: true,
      splitting,
      format: "esm",
      platform: "browser",
      metafile: true,
      write: false,
    });
    const files = outputFiles.map(
      (file) => [relative(folderOf(name), file.path), file.contents] as const,
    );
    return firstLoad({ files: new Map(files), outputs: metafile.outputs });
  };
  const { packed } = await bundle(true);
  say(`{ ${imported} } of @tryon/${name}: ${packed} of ${bytes} bytes at first load`);
  const whole = await bundle(false);
  if (whole.packed !== packed) say(`  ${whole.packed} in one piece with what is loaded late`);
  if (packed > bytes) throw new Error(`@tryon/${name} is over its budget of bytes.`);
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
