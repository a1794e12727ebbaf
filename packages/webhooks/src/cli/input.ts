import { open } from "node:fs/promises";

import { UsageError } from "@tryon/command-line";

import type { CliContext } from "./context.ts";

/** Maximum size of a file, in bytes. A delivery is much smaller. */
const maxBytes = 16_777_216;

/** Reads files, and standard input for the file `-`. Standard input can be read once. */
export class Input {
  readonly #stdin: CliContext["stdin"];
  #reader: string | undefined;

  constructor({ stdin }: Pick<CliContext, "stdin">) {
    this.#stdin = stdin;
  }

  /** @throws UsageError if a file cannot be read, or for a second read of standard input. */
  async bytes(flag: string, path: string): Promise<Uint8Array<ArrayBuffer>> {
    if (path !== "-") return join(flag, fileChunks(flag, path));
    if (this.#reader !== undefined) {
      throw new UsageError(`--${this.#reader} and --${flag} cannot both be read from stdin.`);
    }
    this.#reader = flag;
    return join(flag, this.#stdin);
  }

  async text(flag: string, path: string): Promise<string> {
    return new TextDecoder().decode(await this.bytes(flag, path));
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "the file does not exist",
  EACCES: "permission denied",
  EISDIR: "it is a folder",
};

async function* fileChunks(flag: string, path: string): AsyncGenerator<Uint8Array> {
  try {
    const file = await open(path);
    // The stream closes the file.
    for await (const chunk of file.createReadStream()) yield chunk as Uint8Array;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    throw new UsageError(`Cannot read the file of --${flag}: ${reasons[code] ?? code}.`);
  }
}

async function join(
  flag: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > maxBytes) {
      throw new UsageError(`The input of --${flag} is longer than ${maxBytes} bytes.`);
    }
    parts.push(chunk);
  }
  return new Uint8Array(Buffer.concat(parts));
}
