import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";

import {
  ConnectionError,
  InputError,
  isTryOnError,
  type CallOptions,
  type ResultImage,
} from "@tryon/client";

import { maxTimer } from "../config/clock.ts";
import { defaults } from "../config/options.ts";
import { readDuration, unknownOption } from "../config/resolve-config.ts";
import { callOptionNames } from "../http/deadline.ts";

/** Size, type and digests of a result image. */
export interface StoredImage {
  /** Size in bytes. */
  readonly size: number;
  /** Content type. */
  readonly type: "image/png";
  /** SHA-256 in hexadecimal. */
  readonly sha256: string;
  /** MD5 in hexadecimal: the ETag of many stores. */
  readonly md5: string;
}

/** Place for an image: a stream of Node, a `WritableStream`, or a signed URL for a PUT. */
export type StoreTarget = NodeJS.WritableStream | WritableStream<Uint8Array> | string | URL;

/** Options of `storeImage`. `timeout` applies to the download, and to each attempt of the upload. */
export interface StoreOptions extends CallOptions {
  /** Further headers of the PUT. They win over those of `storeImage`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Agent for the PUT, such as one with a proxy, as the client's option.
   *
   * @default the agent of Node
   */
  readonly agent?: http.Agent | undefined;
}

const optionNames: Readonly<Record<keyof StoreOptions, true>> = {
  ...callOptionNames,
  headers: true,
  agent: true,
};

/** Delays before the retries of an upload, in milliseconds. */
const delays = [100, 400, 1_600];
const expiredHint = "The URL may have expired, or sign other headers.";
const repeatHint = "Store it again, which is free: the service keeps the image for 30 days.";

/**
 * Copies a result image to your storage, and returns its size and digests. Downloads and checks the whole image first, into
 * a temporary file, so that no part of a wrong or interrupted image reaches the storage. Nothing is charged, however often
 * it is repeated.
 *
 * A PUT has `Content-Type`, `Content-Length` and `Content-MD5`, or `x-amz-checksum-sha256` if the URL signs it. It is
 * retried three times after a failed connection, 408, 429, 5xx or a wrong digest. A function as `destination` gets the
 * digests, to sign them, and is called before each attempt: then 403 is retried too, since a URL can expire.
 *
 * A stream is ended after the last byte, and destroyed after an error.
 *
 * @throws errors of `image.save`; the error of the stream; `unexpected_response` with the `status` of the storage;
 * `connection_failed`, `timed_out`; `invalid_input` for a URL that is not http or https, or signs the checksum of an empty body
 * @example
 * import { storeImage } from "@tryon/client/node";
 *
 * const { sha256 } = await storeImage(result.image, "https://shop.example/upload?signature=abc");
 */
export async function storeImage(
  image: ResultImage,
  destination: StoreTarget | ((image: StoredImage) => StoreTarget | Promise<StoreTarget>),
  options: StoreOptions = {},
): Promise<StoredImage> {
  const unknown = unknownOption("storeImage", options, optionNames);
  if (unknown) throw new InputError(...unknown);
  const { signal, timeout = defaults.callTimeout } = options;
  const limit = readDuration(timeout);
  if (!(limit > 0)) {
    throw new InputError(
      "timeout",
      'must be a positive number of milliseconds, or a string such as "30s"',
    );
  }
  // Without a listener, an error before the first byte ends the process. `pipeline` gets it, too.
  const stream = streamOf(destination)?.on("error", () => undefined);
  const folder = await mkdtemp(join(tmpdir(), "tryon-"));
  try {
    const file = join(folder, "image.png");
    const call = options.timeout === undefined ? { signal } : { signal, timeout };
    await image.save(file, call).catch(async (error: unknown) => {
      // Bun and Deno have the modules of Node, and no `save`.
      if (!isTryOnError(error, "unsafe_environment")) throw error;
      await writeFile(file, await image.bytes(call));
    });
    const stored = await digestOf(file);
    for (let retry = 0; ; retry += 1) {
      const isFunction = typeof destination === "function";
      const target = stream ?? (isFunction ? await destination(stored) : destination);
      const writable = streamOf(target);
      if (writable) {
        await pipeline(read(file), writable, { signal });
        return stored;
      }
      // `streamOf` has returned every other target.
      const problem = await put(target as string | URL, file, stored, limit, options);
      if (problem === undefined) return stored;
      const { code, text, isTransient, status, cause } = problem;
      const isExpired = status === 403;
      const delay = delays[retry];
      if (delay === undefined || !(isTransient || (isExpired && isFunction))) {
        const hint = isExpired ? `${expiredHint} ${repeatHint}` : repeatHint;
        const message = `${image.toString()}: the upload failed: ${text}.`;
        throw new ConnectionError(code, message, { hint, status, cause });
      }
      await sleep(delay, undefined, { signal });
    }
  } catch (error) {
    // An end would make an incomplete image look complete.
    stream?.destroy();
    signal?.throwIfAborted();
    // `pipeline` reports another error for a stream that failed before.
    throw stream?.errored ?? error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reads a file whose folder may be removed before it opens, which would end the process without a listener. */
const read = (file: string) => createReadStream(file).on("error", () => undefined);

function streamOf(target: unknown): Writable | undefined {
  const { write, getWriter } = Object(target) as { write?: unknown; getWriter?: unknown };
  if (typeof getWriter === "function") return Writable.fromWeb(target as WritableStream);
  // Responses of Node are streams, but no `Writable`.
  return typeof write === "function" ? (target as Writable) : undefined;
}

async function digestOf(file: string): Promise<StoredImage> {
  const [sha256, md5] = [createHash("sha256"), createHash("md5")];
  let size = 0;
  for await (const chunk of read(file) as AsyncIterable<Buffer>) {
    sha256.update(chunk);
    md5.update(chunk);
    size += chunk.length;
  }
  return { size, type: "image/png", sha256: sha256.digest("hex"), md5: md5.digest("hex") };
}

interface UploadProblem {
  readonly code: ConnectionError["code"];
  /** Without the signed URL. */
  readonly text: string;
  readonly isTransient: boolean;
  readonly status?: number;
  readonly cause?: unknown;
}

async function put(
  target: string | URL,
  file: string,
  stored: StoredImage,
  limit: number,
  { signal, agent, headers }: StoreOptions,
): Promise<UploadProblem | undefined> {
  const { url, headers: own } = requestOf(target, stored);
  // `fetch` would keep most of a large body in memory.
  const { request } = url.protocol === "https:" ? https : http;
  const sent = request(url, {
    method: "PUT",
    headers: { ...own, ...headers },
    agent,
    signal,
  });
  let isLate = false;
  const timer = setTimeout(
    () => {
      isLate = true;
      sent.destroy(new Error("No response in time."));
    },
    Math.min(limit, maxTimer),
  );
  try {
    const answered = once(sent, "response") as Promise<[IncomingMessage]>;
    // A storage can respond before it has read the body, and then close the connection.
    sent.on("error", () => undefined);
    pipeline(read(file), sent).catch((error: Error) => sent.destroy(error));
    const [response] = await answered;
    let text = "";
    for await (const chunk of response) if (text.length < 4_096) text += String(chunk);
    const { statusCode: status = 0 } = response;
    if (status >= 200 && status < 300) return undefined;
    const reason = /<Code>(\w{1,64})<\/Code>/.exec(text)?.[1] ?? "";
    const isTransient =
      status >= 500 || status === 408 || status === 429 || /Digest|Checksum|Timeout/.test(reason);
    return { code: "unexpected_response", text: `${status} ${reason}`.trim(), isTransient, status };
  } catch (cause) {
    signal?.throwIfAborted();
    if (isLate) return { code: "timed_out", text: "no response in time", isTransient: true };
    return { code: "connection_failed", text: "the connection failed", isTransient: true, cause };
  } finally {
    clearTimeout(timer);
  }
}

function requestOf(target: string | URL, { size, type, sha256, md5 }: StoredImage) {
  const url = URL.canParse(String(target)) ? new URL(target) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new InputError("destination", "must be a writable stream, or an http or https URL");
  }
  const query = new Map([...url.searchParams].map(([name, value]) => [name.toLowerCase(), value]));
  // The AWS SDK puts it into signed URLs by default, and a store then rejects every image.
  if (query.get("x-amz-checksum-crc32") === "AAAAAA==") {
    throw new InputError("destination", "is a URL that signs the checksum of an empty body", {
      hint: 'Create the S3Client with requestChecksumCalculation: "WHEN_REQUIRED".',
    });
  }
  const headers: Record<string, string> = {
    "content-type": type,
    "content-length": String(size),
  };
  const signed = query.get("x-amz-signedheaders")?.split(";") ?? [];
  if (signed.includes("x-amz-checksum-sha256")) headers["x-amz-checksum-sha256"] = base64(sha256);
  // A signature of version 2 covers an MD5 that it may not have.
  else if (!query.has("signature")) headers["content-md5"] = base64(md5);
  return { url, headers };
}

function base64(hex: string): string {
  return Buffer.from(hex, "hex").toString("base64");
}
