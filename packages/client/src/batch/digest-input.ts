import type { TryOnInput } from "@tryon/client";

import { maxImageBytes } from "../images/image-head.ts";
import type { ImageSource } from "../images/image-input.ts";
import { prepareInput, type PreparedInput } from "../jobs/prepare.ts";
import { snapshotInput } from "../jobs/snapshot-input.ts";

/** Input that can be read repeatedly, and its digest. */
export interface DigestedInput {
  readonly input: TryOnInput;
  readonly prepared: PreparedInput;
  /** SHA-256 in hexadecimal. Inputs that are sent the same way have the same digest. */
  readonly digest: string;
}

/** Copies an input, and digests its canonical fields and the bytes of each image. */
export async function digestInput(given: TryOnInput): Promise<DigestedInput> {
  const input = await readStreams(given);
  const prepared = prepareInput(input);
  // Prepared fields are JSON.
  const fields = JSON.parse(prepared.fields) as unknown;
  const person = await digestsOf(prepared.person);
  const garments = await digestsOf(prepared.garments);
  const text = canonical({ fields, person, garments });
  return { input, prepared, digest: await sha256(new TextEncoder().encode(text)) };
}

/** Returns a snapshot of an input whose streams and responses are read into blobs. */
async function readStreams(given: TryOnInput): Promise<TryOnInput> {
  // A snapshot of an input is an input. Programs without types can pass anything.
  const input = snapshotInput(given) as TryOnInput;
  if (typeof input !== "object" || input === null) return input;
  const { person, garments } = input as { person?: unknown; garments?: unknown };
  const images = Array.isArray(garments) ? await Promise.all(garments.map(blobOf)) : garments;
  return { ...input, person: await blobOf(person), garments: images } as TryOnInput;
}

/** Reads a stream or response, up to the maximum image size and one chunk. Returns any other value unchanged. */
async function blobOf(image: unknown): Promise<unknown> {
  const reader = readerOf(image);
  // The submission reports the error.
  if (reader === undefined) return image;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    chunks.push(next.value);
    size += next.value.length;
    if (size > maxImageBytes) break;
  }
  void reader.cancel().catch(() => undefined);
  return new Blob(chunks);
}

/** Returns a reader. Returns undefined if the image was read before, such as by another item. */
function readerOf(image: unknown) {
  // Tags work across realms, unlike `instanceof`.
  const tag = Object.prototype.toString.call(image).slice(8, -1);
  if (tag !== "Response" && tag !== "ReadableStream") return undefined;
  try {
    const response = tag === "Response" ? (image as Response) : new Response(image as BodyInit);
    return response.ok && !response.bodyUsed ? response.body?.getReader() : undefined;
  } catch {
    return undefined;
  }
}

/** Reads one image at a time, since each is in memory as a whole. */
async function digestsOf(images: readonly ImageSource[]): Promise<string[]> {
  const digests: string[] = [];
  for (const { content } of images) {
    if (typeof content === "string") digests.push(await sha256(bytesOf(content)));
    else if ("slice" in content) {
      digests.push(await sha256(await content.slice(0, content.size).arrayBuffer()));
      // Successful responses have become blobs. Others are rejected before anything is sent.
    } else digests.push("unread");
  }
  return digests;
}

/** Decodes base64. Returns the bytes of the text itself if it is not canonical base64. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    const binary = atob(base64);
    if (btoa(binary) === base64) return Uint8Array.from(binary, (one) => one.charCodeAt(0));
  } catch {
    // Invalid base64 is rejected before anything is sent.
  }
  return new TextEncoder().encode(base64);
}

async function sha256(bytes: BufferSource): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns JSON with sorted properties. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, one: unknown) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}
