import { open } from "node:fs/promises";

import { UsageError } from "./flags.ts";
import type { CliContext } from "./context.ts";

/** Longer files are not read, in bytes: no delivery has so many. */
const mostBytes = 16_777_216;

/** Reads files, and standard input where one is called `-`, which can be read once. */
export class Input {
  readonly #stdin: CliContext["stdin"];
  #reader: string | undefined;

  constructor({ stdin }: Pick<CliContext, "stdin">) {
    this.#stdin = stdin;
  }

  /** @throws UsageError when a file cannot be read, or standard input is wanted twice. */
  async bytes(flag: string, path: string): Promise<Uint8Array<ArrayBuffer>> {
    if (path !== "-") return joined(flag, fileChunks(flag, path));
    if (this.#reader !== undefined) {
      throw new UsageError(`--${this.#reader} and --${flag} cannot both be read from stdin.`);
    }
    this.#reader = flag;
    return joined(flag, this.#stdin);
  }

  async text(flag: string, path: string): Promise<string> {
    return new TextDecoder().decode(await this.bytes(flag, path));
  }
}

async function* fileChunks(flag: string, path: string): AsyncGenerator<Uint8Array> {
  try {
    const file = await open(path);
    // The stream closes the file.
    for await (const chunk of file.createReadStream()) yield chunk as Uint8Array;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const reasons: Readonly<Record<string, string>> = {
      ENOENT: "there is no such file",
      EACCES: "it may not be read",
      EISDIR: "it is a folder",
    };
    throw new UsageError(`The file of --${flag} cannot be read: ${reasons[code] ?? code}.`);
  }
}

async function joined(
  flag: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > mostBytes) {
      throw new UsageError(`What --${flag} names is longer than ${mostBytes} bytes.`);
    }
    parts.push(chunk);
  }
  return new Uint8Array(Buffer.concat(parts));
}
