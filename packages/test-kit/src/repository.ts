import { join } from "node:path";

/** Root folder of the repository. */
export const root = join(import.meta.dirname, "../../..");

/** Path of the Node that runs the tests, for child programs. */
export const node = process.execPath;

/** Returns the path of an image in `examples/assets`. */
export function assetPath(name: string): string {
  return join(root, "examples/assets", name);
}
