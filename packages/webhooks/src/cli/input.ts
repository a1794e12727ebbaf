import { createReadStream } from "node:fs";

import { UsageError } from "@tryon/command-line";

import type { CliContext } from "./context.ts";

/** Maximum size of a file, in bytes. A delivery is much smaller. */
const maxBytes = 16_777_216;

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "the file does not exist",
  EACCES: "permission denied",
  EISDIR: "it is a folder",
};

/** Reads files, and standard input for the file `-`. Standard input can be read once. */
export class Input {
  readonly #stdin: CliContext["stdin"];
  #reader: string | undefined;

  constructor({ stdin }: Pick<CliContext, "stdin">) {
    this.#stdin = stdin;
  }

  /** @throws UsageError if a file cannot be read, or for a second read of standard input. */
  async bytes(flag: string, path: string): Promise<Uint8Array<ArrayBuffer>> {
    if (path === "-" && this.#reader !== undefined) {
      throw new UsageError(`--${this.#reader} and --${flag} cannot both be read from stdin.`);
    }
    if (path === "-") this.#reader = flag;
    const chunks = path === "-" ? this.#stdin : fileChunks(path);
    const parts: Uint8Array[] = [];
    let length = 0;
    try {
      for await (const chunk of chunks) {
        parts.push(chunk);
        length += chunk.length;
        if (length > maxBytes) {
          throw new UsageError(`The input of --${flag} is longer than ${maxBytes} bytes.`);
        }
      }
    } catch (error) {
      if (error instanceof UsageError) throw error;
      const code = error instanceof Error && "code" in error ? String(error.code) : "";
      throw new UsageError(`The input of --${flag} cannot be read: ${reasons[code] ?? code}.`);
    }
    return new Uint8Array(Buffer.concat(parts));
  }

  async text(flag: string, path: string): Promise<string> {
    return new TextDecoder().decode(await this.bytes(flag, path));
  }
}

function fileChunks(path: string): AsyncIterable<Uint8Array> {
  // Without an encoding, the chunks are bytes.
  return createReadStream(path) as AsyncIterable<Uint8Array>;
}
