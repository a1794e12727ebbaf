// Code that differs between Node and all other runtimes: this file is for those, `node/node-runtime.ts` is for Node.
// `imports` of package.json selects one.
import { isPage } from "#page";
import { fetchTransport } from "#transport";

import type { Logger, TryOnOptions } from "../config/options.ts";
import { check } from "../config/resolve-config.ts";
import { blobLike, type BlobLike } from "./blob-like.ts";
import type { Transport } from "./http-request.ts";
import type { SendConfig } from "./send-request.ts";

export class Connections {
  constructor(options: TryOnOptions) {
    check(!options.agent, "agent is for Node.", "Remove it.");
    if (!isPage)
      check(options.transport !== "node", 'transport: "node" is for Node.', "Remove it.");
  }

  createTransport(config: SendConfig): Transport {
    return fetchTransport(config);
  }

  close(): void {
    // `fetch` closes its connections itself.
  }
}

export function environmentLogger(): Logger | undefined {
  return undefined;
}

export function nodeImage(_input: unknown): Uint8Array | ReadableStream<Uint8Array> | undefined {
  return undefined;
}

export function describePath(_source: unknown): string {
  return "";
}

export function imageOf(bytes: Uint8Array<ArrayBuffer>): BlobLike {
  return blobLike(bytes.slice());
}

/** The part of `node:crypto` that is used. The package has no types of Node. */
interface NodeCrypto {
  createHash(name: string): { update(text: string): { digest(encoding: "hex"): string } };
}

/** Digest of a text in hexadecimal, where the modules of Node exist: that of `crypto` is asynchronous, and would delay requests. */
export function sha256Of(text: string): string | undefined {
  if (isPage) return undefined;
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => NodeCrypto | undefined };
  };
  return process
    ?.getBuiltinModule?.("node:crypto")
    ?.createHash("sha256")
    .update(text)
    .digest("hex");
}
