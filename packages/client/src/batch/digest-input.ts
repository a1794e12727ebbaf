import { sha256Of } from "#runtime";
import type { ImageInput, TryOn, TryOnInput } from "@tryon/client";

import { isPerson } from "../images/image-source.ts";

/**
 * Copies an input, so that later changes have no effect, and digests its canonical fields and the bytes of each image. Reads
 * one image at a time, since each is in memory as a whole. The digest is a SHA-256 in hexadecimal. Inputs that are sent the
 * same way have the same digest.
 *
 * @throws `invalid_input` if an image cannot be read
 */
export async function digestInput(tryon: TryOn, given: TryOnInput, signal: AbortSignal) {
  // Programs without types can pass anything. An input of a class may inherit its images.
  const { person: photo, garments: list, ...rest } = Object(given) as TryOnInput;
  const clothes: readonly ImageInput[] = [list ?? []].flat();
  const { size, wait, ...read } = await tryon.readInput(given, signal);
  const person: string[] = [];
  const garments: string[] = [];
  const copies = new Map<string, ImageInput>();
  for (const image of read.images) {
    const { field, content } = image;
    const isText = typeof content === "string";
    const bytes = isText
      ? bytesOf(content)
      : new Uint8Array(await content.slice(0, content.size).arrayBuffer());
    // A Blob does not change.
    const isBlob = !isText && "type" in content;
    copies.set(field, isText ? { base64: content } : isBlob ? (content as Blob) : bytes);
    (isPerson(image) ? person : garments).push(await sha256(bytes));
  }
  // The client has written the fields as a JSON object.
  const fields = JSON.parse(read.fields) as { readonly metadata?: TryOnInput["metadata"] };
  const text = JSON.stringify(inOrder({ fields, person, garments }));
  const input = {
    ...rest,
    ...("metadata" in fields && { metadata: fields.metadata }),
    person: copies.get("person") ?? photo,
    garments: clothes.map((image, index) => copies.get(`garments.${index}`) ?? image),
    // The copy has the fields of the input.
  } as TryOnInput;
  const digest = await sha256(text);
  return { input, digest, size, wait };
}

/** Decodes base64. Returns the bytes of the text itself if it is invalid: the client rejects it before it sends anything. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
  } catch {
    return new TextEncoder().encode(base64);
  }
}

export async function sha256(content: BufferSource | string): Promise<string> {
  // For a short text, a call of WebCrypto takes far longer than the digest.
  const hex = typeof content === "string" ? sha256Of(content) : undefined;
  if (hex !== undefined) return hex;
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns a value of JSON with the fields of each object in the order of their names. */
function inOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const names = Object.keys(value).toSorted();
  return Object.fromEntries(names.map((name) => [name, inOrder(Reflect.get(value, name))]));
}
