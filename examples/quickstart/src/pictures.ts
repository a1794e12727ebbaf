import { openAsBlob } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";

import { UserError } from "./arguments.ts";

/** A file that is sent. */
export interface Picture {
  readonly path: string;
  readonly name: string;
  readonly blob: Blob;
}

/**
 * Opens a file; its bytes are read when they are sent.
 *
 * @throws UserError when there is no such file, or it cannot be read.
 */
export async function openPicture(path: string): Promise<Picture> {
  try {
    if (!(await stat(path)).isFile()) throw new UserError(`${path} is not a file.`);
    const blob = await openAsBlob(path);
    // A file that may not be read shows only when a byte of it is asked for.
    await blob.slice(0, 1).arrayBuffer();
    return { path, name: basename(path), blob };
  } catch (error) {
    if (error instanceof UserError) throw error;
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw new UserError(missing ? `There is no file ${path}.` : `The file ${path} cannot be read.`);
  }
}

/** A size for people to read. */
export function kilobytes(bytes: number): string {
  return bytes >= 1_000_000
    ? `${(bytes / 1_000_000).toFixed(1)} MB`
    : `${Math.ceil(bytes / 1_000)} kB`;
}
