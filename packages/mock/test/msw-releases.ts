import { join } from "node:path";

import { build, type Format, type Platform, type Plugin } from "esbuild";

/** Oldest and newest releases of msw that the handlers support. */
export const releases = ["2.11.0", "2", "3"] as const;

export interface BundleOptions {
  readonly entry: string;
  readonly format: Format;
  readonly platform: Platform;
}

/** Bundles a program of this folder with the msw of the given one; for Node, msw is external. */
export async function bundleWithMsw(folder: string, options: BundleOptions): Promise<string> {
  const { entry, format, platform } = options;
  const mswOfFolder: Plugin = {
    name: "msw-of-the-folder",
    setup(building) {
      building.onResolve({ filter: /^msw(\/|$)/ }, ({ path, kind, resolveDir }) =>
        resolveDir === folder ? undefined : building.resolve(path, { kind, resolveDir: folder }),
      );
    },
  };
  const inNode = platform === "node";
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, entry)],
    bundle: true,
    write: false,
    format,
    platform,
    conditions: ["@tryon/source"],
    external: inNode ? ["msw"] : [],
    plugins: inNode ? [] : [mswOfFolder],
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error(`Nothing was bundled of ${entry}.`);
  return file.text;
}
