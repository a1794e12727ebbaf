import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { build, type Options } from "tsup";

import { packageFolder as folderOf, type Published } from "@tryon/test-kit/packages";

/** The folders of others' packages of which code is in what is built of one of ours, as the bundler itself tells. */
export async function bundledFolders(name: Published): Promise<readonly string[]> {
  const found = new Set<string>();
  const recorder: NonNullable<Options["esbuildPlugins"]>[number] = {
    name: "what-is-bundled",
    setup(bundler) {
      bundler.onEnd(({ metafile }) => {
        for (const { inputs } of Object.values(metafile?.outputs ?? {})) {
          for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
            const folder = packageFolder(resolve(folderOf(name), path));
            if (folder !== undefined && bytesInOutput > 0) found.add(folder);
          }
        }
      });
    },
  };
  const config = join(folderOf(name), "tsup.config.ts");
  const { default: own } = (await import(pathToFileURL(config).href)) as {
    default: Options | Options[];
  };
  const outDir = await mkdtemp(join(tmpdir(), "tryon-bundled-"));
  // The bundler reads the manifest, and with it what to leave out, from the folder it is started in.
  const before = process.cwd();
  process.chdir(folderOf(name));
  try {
    for (const options of [own].flat()) {
      await build({
        ...options,
        config: false,
        outDir,
        clean: false,
        dts: false,
        silent: true,
        esbuildOptions: (settings) => {
          settings.absWorkingDir = folderOf(name);
        },
        esbuildPlugins: [...(options.esbuildPlugins ?? []), recorder],
      });
    }
  } finally {
    process.chdir(before);
    await rm(outDir, { recursive: true });
  }
  return [...found].toSorted();
}

/** `…/node_modules/@scope/name` of a file that lies in there; `undefined` for files of the repository. */
function packageFolder(path: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path.replaceAll("\\", "/"))?.[0];
}
