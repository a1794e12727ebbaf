import { appendFile, close, fdatasync, fstatSync, statSync } from "node:fs";
import { promisify } from "node:util";

import { appendPrivateFile, writePrivateFile } from "@tryon/shared/private-file";

/** File with a line for a whole state, and a line for each change since. */
export class StateFile {
  readonly #path: string;
  /** The file as this object has written it. Undefined after an error. */
  #written: { readonly ino: number; readonly size: number } | undefined;
  /** If true, the file has more than the line of a whole state. */
  hasChanges = false;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Saves a change. Replaces the whole file if it is not as this object has written it.
   *
   * @throws Error of the system. The next change then replaces the whole file.
   */
  async save(change: object, whole: () => object): Promise<void> {
    if (this.#written === undefined) return this.replace(whole());
    const file = appendPrivateFile(this.#path);
    try {
      const { ino, size } = fstatSync(file);
      const isOwn = ino === this.#written.ino && size === this.#written.size;
      this.#written = undefined;
      if (!isOwn) return await this.replace(whole());
      const line = `${JSON.stringify(change)}\n`;
      await promisify(appendFile)(file, line);
      await promisify(fdatasync)(file);
      this.#written = { ino, size: size + Buffer.byteLength(line) };
      this.hasChanges = true;
    } finally {
      await promisify(close)(file);
    }
  }

  async replace(whole: object): Promise<void> {
    this.#written = undefined;
    await writePrivateFile(this.#path, `${JSON.stringify(whole)}\n`);
    const { ino, size } = statSync(this.#path);
    this.#written = { ino, size };
    this.hasChanges = false;
  }
}

/**
 * Returns the lines of a file. A last line without its end is left out, unless it is the only one: its save was not confirmed.
 *
 * @throws SyntaxError if a line is not JSON.
 */
export function readLines(text: string): readonly unknown[] {
  const [first = "", ...changes] = text.split("\n");
  return [first, ...changes.slice(0, -1)].map((line): unknown => JSON.parse(line));
}
