import type { BlobLike, ImageSource } from "../images/image-source.ts";
import type { ParsedInput } from "../jobs/parse-input.ts";

/**
 * Returns the SHA-256 of an input in hexadecimal. It covers the canonical fields and the bytes of each image, so inputs that
 * are sent the same way have the same digest.
 */
export async function inputDigest({ fields, person, garments }: ParsedInput): Promise<string> {
  // The fields are JSON.
  const parts = { fields: JSON.parse(fields) as unknown, person: [""], garments: [""] };
  parts.person = await digestsOf(person);
  parts.garments = await digestsOf(garments);
  return sha256(new TextEncoder().encode(canonical(parts)));
}

/** Reads one image at a time, since each is in memory as a whole. */
async function digestsOf(images: readonly ImageSource[]): Promise<string[]> {
  const digests: string[] = [];
  for (const { content } of images) digests.push(await digestOfImage(content));
  return digests;
}

async function digestOfImage(content: BlobLike | string | Response): Promise<string> {
  if (typeof content === "string") return sha256(bytesOf(content));
  // Successful responses have become blobs. Others are rejected before anything is sent.
  if (!("slice" in content)) return "unread";
  return sha256(await content.slice(0, content.size).arrayBuffer());
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
