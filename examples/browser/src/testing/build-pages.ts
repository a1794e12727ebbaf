import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { build } from "vite";

/** The pages, built into a folder of their own. */
export interface BuiltPages {
  readonly folder: string;
  remove(): Promise<void>;
}

/** Builds the pages as `npm run build` does. */
export async function buildPages(): Promise<BuiltPages> {
  const folder = await mkdtemp(join(tmpdir(), "fitting-room-pages-"));
  await build({
    configFile: join(import.meta.dirname, "../../vite.config.ts"),
    logLevel: "error",
    build: { outDir: folder, emptyOutDir: true },
  });
  return { folder, remove: () => rm(folder, { recursive: true }) };
}
