import { readFile } from "node:fs/promises";
import { join } from "node:path";

export const root = join(import.meta.dirname, "../..");

/** Where the built site stands; git ignores it. */
export const siteFolder = join(root, "out/site");

/** The folders of the packages that are published, in the order in which people need them. */
export const packageNames = ["client", "webhooks", "mock", "contract", "cli"] as const;

/** As much of a package.json as is read here. */
export interface Manifest {
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
  readonly repository?: string | { readonly url?: string };
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly publishConfig?: { readonly exports?: Readonly<Record<string, unknown>> };
}

export async function readManifest(folder: string): Promise<Manifest> {
  // A manifest is what every other tool of the repository takes it for.
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;
}
