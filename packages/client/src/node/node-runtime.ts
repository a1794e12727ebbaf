import type { Agent } from "node:http";
import type { Readable } from "node:stream";

import type { TryOnOptions } from "../config/options.ts";
import { check, type Config } from "../config/resolve-config.ts";
import { blobLike, type BlobLike } from "../http/blob-like.ts";
import { fetchTransport } from "../http/fetch-transport.ts";
import type { Transport, WholeFile } from "../http/http-request.ts";
import type { SendConfig } from "../http/send-request.ts";
import { findReplacement } from "./find-replacement.ts";
import { loadBuiltin } from "./load-builtin.ts";
import { webStream } from "./node-image.ts";
import { Agents, NodeTransport } from "./node-transport.ts";

export { describePath, nodeImage } from "./node-image.ts";
export { environmentLogger } from "./environment-logger.ts";

export class Connections {
  readonly #agents: Agents;
  readonly #transport: TryOnOptions["transport"];
  readonly #fetch: TryOnOptions["fetch"];
  readonly #logged = new Set<string>();

  constructor({ fetch, transport, agent }: TryOnOptions) {
    const isKnown = transport === undefined || /^(fetch|node)$/.test(transport);
    check(isKnown, 'transport must be "fetch" or "node".', "Correct it.");
    // Such as the namespace of a module.
    check(!fetch || typeof fetch === "function", "fetch must be a function.", "Correct it.");
    const usesFetch = fetch !== undefined || transport === "fetch";
    check(!usesFetch || !agent, "agent cannot be combined with fetch.", "Remove one of them.");
    check(
      !fetch || transport !== "node",
      'transport: "node" excludes fetch.',
      "Remove one of them.",
    );
    // The type in the options has no types of Node, which browsers lack.
    this.#agents = new Agents(agent as Agent | undefined);
    this.#transport = fetch ? "fetch" : transport;
    this.#fetch = fetch;
  }

  createTransport(config: SendConfig & Pick<Config, "log">): Transport {
    const overFetch = fetchTransport(this.#fetch ? withNodeStreams(config, this.#fetch) : config);
    if (this.#transport === "fetch") return { ...overFetch, createFile };
    const overHttp = new NodeTransport(config, this.#agents);
    return {
      createFile,
      send: (request) =>
        (this.#usesFetch(request.url, config) ? overFetch : overHttp).send(request),
    };
  }

  /**
   * Returns true if `fetch` gets a request, since a test, or a proxy, has replaced it or its dispatcher. Checked for each
   * request, since both can change at any time.
   *
   * @throws `invalid_config` if a test has replaced it, but the option `agent` would send the request to the service.
   */
  #usesFetch(url: string, { log }: Pick<Config, "log">): boolean {
    if (this.#transport) return false;
    const replacement = findReplacement(url);
    if (!replacement) return false;
    const { name, isMock } = replacement;
    const usesAgent = this.#agents.isGiven;
    check(
      !usesAgent || !isMock,
      `This test has replaced fetch (${name}), but agent sends requests over node:http, so nothing was sent.`,
      'Set transport: "node" if the test also intercepts node:http, as MSW and nock do. Otherwise, leave out agent.',
    );
    const text = usesAgent
      ? `Requests go over node:http with agent, not to ${name}, which is not that of Node.`
      : `Requests go to fetch, since ${name} is not that of Node. transport: "node" sends them over node:http.`;
    if (!this.#logged.has(text)) log("info", text);
    this.#logged.add(text);
    return !usesAgent;
  }

  close(): void {
    this.#agents.close();
  }
}

/** Source of the `fetch` of node-fetch 3. */
const ofNodeFetch = /^async function fetch\(url, options_\)/;

/**
 * Adapts a client to node-fetch and cross-fetch, which send no `ReadableStream` correctly, and respond with a stream of Node.
 */
function withNodeStreams<Settings extends SendConfig>(
  config: Settings,
  own: NonNullable<TryOnOptions["fetch"]>,
): Settings {
  // Those of node-fetch 2 and cross-fetch have these fields.
  const isOfNode = "isRedirect" in own || "ponyfill" in own || ofNodeFetch.test(String(own));
  const fetch: SendConfig["fetch"] = async (url, init, request) => {
    const { body } = init;
    const isStream = isOfNode && body instanceof ReadableStream;
    const sent: unknown = isStream ? loadBuiltin("node:stream").Readable.from(body) : body;
    // The type has no stream of Node.
    const response = await config.fetch(url, { ...init, body: sent as BodyInit | null }, request);
    return withWebStream(response as Response);
  };
  return { ...config, fetch };
}

function withWebStream(response: Response): Response {
  const { status, headers } = response;
  const body: unknown = response.body;
  const isOfNode = Symbol.asyncIterator in Object(body) && !("getReader" in Object(body));
  if (!isOfNode) return response;
  const content = /^(20[45]|304)$/.test(`${status}`) ? null : webStream(body as Readable);
  return new Response(content, { status, headers: [...headers] });
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
      const { rename, rm, writeFile } = loadBuiltin("node:fs/promises");
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
  const { createHash, hash } = loadBuiltin("node:crypto");
  // Takes half of the time in one call.
  return hash?.("sha256", text) ?? createHash("sha256").update(text).digest("hex");
}
