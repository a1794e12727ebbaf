import { join } from "node:path";

/** Root folder of the repository. */
export const root = join(import.meta.dirname, "../../..");

/** The repository's own Node, for child programs. */
export const node = join(root, "node_modules/node/bin/node");

/** Returns the path of an image in `examples/assets`. */
export function assetPath(name: string): string {
  return join(root, "examples/assets", name);
}
