import type * as Crypto from "node:crypto";
import type * as FileSystem from "node:fs/promises";
import { createRequire } from "node:module";
import type { Agent } from "node:http";

import type { TryOnOptions } from "../config/options.ts";
import { check } from "../config/resolve-config.ts";
import { blobLike, type BlobLike } from "../http/blob-like.ts";
import { fetchTransport } from "../http/fetch-transport.ts";
import type { Transport, WholeFile } from "../http/http-request.ts";
import type { SendConfig } from "../http/send-request.ts";
import { Agents, isFetchReplaced, NodeTransport } from "./node-transport.ts";

export { describePath, nodeImage } from "./node-image.ts";
export { environmentLogger } from "./environment-logger.ts";

interface NodeProcess {
  readonly getBuiltinModule?: (name: string) => unknown;
  readonly execPath: string;
}

export class Connections {
  readonly #agents: Agents;
  readonly #usesFetch: boolean;

  constructor({ fetch, transport, agent }: TryOnOptions) {
    this.#usesFetch = Boolean(fetch ?? transport);
    check(
      !this.#usesFetch || !agent,
      "agent cannot be combined with fetch.",
      "Remove one of them.",
    );
    // The type in the options has no types of Node, which browsers lack.
    this.#agents = new Agents(agent as Agent | undefined);
  }

  createTransport(config: SendConfig): Transport {
    const overFetch = fetchTransport(config);
    if (this.#usesFetch) return { ...overFetch, createFile };
    const overHttp = new NodeTransport(config, this.#agents);
    return {
      createFile,
      // A `fetch` that is not Node's own gets the requests, so that a test that replaces it sends none to the service.
      send: (request) => (isFetchReplaced(request.url) ? overFetch : overHttp).send(request),
    };
  }

  close(): void {
    this.#agents.close();
  }
}

const maxCopy = 2 ** 20;
/** Distance of the bytes that show if memory has changed. */
const sampleDistance = 509;

/** Returns memory of the caller as an image. Copies up to 1 MiB. Later reads fail if more has changed, as far as samples show. */
export function imageOf(bytes: Uint8Array<ArrayBuffer>): BlobLike {
  if (bytes.length <= maxCopy) return blobLike(bytes.slice());
  const samples = new Uint8Array(Math.ceil(bytes.length / sampleDistance));
  for (let at = 0; at < samples.length; at += 1) samples[at] = Number(bytes[at * sampleDistance]);
  const image = blobLike(bytes);
  return {
    size: image.size,
    slice: (start, end) => {
      for (let at = Math.ceil(start / sampleDistance); at * sampleDistance < end; at += 1) {
        if (samples[at] === bytes[at * sampleDistance]) continue;
        return { arrayBuffer: () => Promise.reject(new Error("The bytes have changed.")) };
      }
      return image.slice(start, end);
    },
  };
}

function createFile(path: string): WholeFile {
  let fileError: unknown;
  return {
    async write(chunks) {
      // This is the type of the module.
      const { rename, rm, writeFile } = loadBuiltin("node:fs/promises") as typeof FileSystem;
      const temporary = `${path}.${crypto.randomUUID()}.tmp`;
      let failed: { readonly error: unknown } | undefined;
      async function* watched() {
        try {
          yield* chunks;
        } catch (error) {
          failed = { error };
          throw error;
        }
      }
      try {
        await writeFile(temporary, watched(), { flag: "wx" });
        await rename(temporary, path);
      } catch (error) {
        // The path itself may be what the file system refuses.
        await rm(temporary, { force: true }).catch(() => undefined);
        if (failed) throw failed.error;
        fileError = error;
      }
      return true;
    },
    end() {
      if (fileError) throw fileError;
    },
  };
}

export function sha256Of(text: string): string {
  // This is the type of the module.
  const { createHash } = loadBuiltin("node:crypto") as typeof Crypto;
  return createHash("sha256").update(text).digest("hex");
}

/** Loads a module at its first use, since its import takes longer than that of the client. Parcel breaks an `import()` of it. */
function loadBuiltin(name: string): unknown {
  const { process } = globalThis as { process: NodeProcess };
  // Only older versions of Node need a file for it.
  const load = process.getBuiltinModule ?? createRequire(process.execPath);
  return load(name);
}
