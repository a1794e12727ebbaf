import { join } from "node:path";

export const root = join(import.meta.dirname, "../../..");

/** Path of the Node that runs the tests, for child programs. */
export const node = process.execPath;

export function assetPath(name: string): string {
  return join(root, "examples/assets", name);
}
