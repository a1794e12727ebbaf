// Builds the packages and checks what people would install: the manifest (publint), what is in the tarball, what
// resolvers make of the types (attw), the licenses of what others have made, and the weight of what browsers would load.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";

import * as esbuild from "esbuild";

import { build, folderOf, published, root, type Published } from "./packages.ts";
import { allowances } from "./release/allowances.ts";
import { linkedFiles } from "./release/links.ts";
import { originFrom } from "./release/origin.ts";
import { packForRelease } from "./release/packing.ts";
import { tooNew } from "./release/page-level.ts";

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

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** What a README of a package links to has to be there, as the release turns the links into addresses. */
async function checkLinks(name: Published): Promise<void> {
  const readme = await readFile(join(folderOf(name), "README.md"), "utf8");
  for (const file of linkedFiles(readme, `packages/${name}`)) {
    if (!existsSync(join(root, file)))
      throw new Error(`The README of @tryon/${name} links to ${file}, which is not there.`);
  }
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
    const names = outputFiles.flatMap(({ text }) => tooNew(text));
    return { packed: firstLoad(new Map(files), metafile.outputs), names };
  };
  const { packed, names } = await bundle(true);
  if (names.length > 0)
    throw new Error(`@tryon/${name} needs what not every page has: ${names.join(", ")}.`);
  say(`{ ${imported} } of @tryon/${name}: ${packed} of ${bytes} bytes at first load`);
  const whole = await bundle(false);
  if (whole.packed !== packed) say(`  ${whole.packed} in one piece with what is loaded late`);
  if (packed > bytes) throw new Error(`@tryon/${name} is over its budget of bytes.`);
}

/** Sums the gzip sizes of the entry and of everything that it imports statically. */
function firstLoad(
  files: ReadonlyMap<string, Uint8Array>,
  outputs: esbuild.Metafile["outputs"],
): number {
  const loaded = Object.keys(outputs).filter((name) => outputs[name]?.entryPoint === "<stdin>");
  let bytes = 0;
  for (const name of loaded) {
    for (const { kind, path, external } of outputs[name]?.imports ?? []) {
      if (kind === "import-statement" && !external && !loaded.includes(path)) loaded.push(path);
    }
    const contents = files.get(name);
    if (contents === undefined) throw new Error(`The bundle has no file ${name}.`);
    bytes += gzipSync(contents, { level: 9 }).length;
  }
  return bytes;
}

const folder = await mkdtemp(join(tmpdir(), "tryon-packages-"));
try {
  for (const name of published) {
    say(`@tryon/${name}`);
    await build(name);
    const publint = join(root, "node_modules/publint/src/cli.js");
    await run(process.execPath, [publint, "--strict", "--pack", "false", folderOf(name)]);
    say("  publint: nothing to say");
    await checkLinks(name);
    const { tarball, bytes } = await packForRelease(name, folder, originFrom(process.env));
    say(`  tarball: ${bytes} of ${allowances[name].maxPackedBytes} bytes, with nothing amiss`);
    const profile = esmOnly.has(name) ? "esm-only" : "node16";
    await run("npx", ["--yes", attw, join(folder, tarball), "--profile", profile], { cwd: folder });
    say("  attw: types resolve in every way that is supported");
  }
  await run(process.execPath, [join(root, "scripts/licenses.ts"), "--check"]);
  say("licenses: what others have made is named");
  for (const budget of budgets) await checkWeight(budget);
} catch (error) {
  const { stdout = "", stderr = "" } = Object(error);
  const output = `${String(stdout)}${String(stderr)}`;
  process.stderr.write(`${output}${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}
