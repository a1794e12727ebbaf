import type { ImageBytes, ImageSource } from "../images/image-input.ts";
import type { PreparedInput } from "../jobs/prepare.ts";

/**
 * What an input comes to once it is sent: the SHA-256, in hexadecimal, of its fields under their canonical names and of the
 * bytes of its images. Inputs that are sent alike have the same.
 */
export async function digestOf({ fields, person, garments }: PreparedInput): Promise<string> {
  // What was prepared is JSON.
  const parts = { fields: JSON.parse(fields) as unknown, person: [""], garments: [""] };
  parts.person = await digestsOf(person);
  parts.garments = await digestsOf(garments);
  return sha256(new TextEncoder().encode(canonical(parts)));
}

/** One after the other: each image is in memory as a whole. */
async function digestsOf(images: readonly ImageSource[]): Promise<string[]> {
  const digests: string[] = [];
  for (const { content } of images) digests.push(await digestOfImage(content));
  return digests;
}

async function digestOfImage(content: ImageBytes | string | Response): Promise<string> {
  if (typeof content === "string") return sha256(bytesOf(content));
  // Answers that are good have been read; the rest is refused before it is sent.
  if (!("slice" in content)) return "unread";
  return sha256(await content.slice(0, content.size).arrayBuffer());
}

/** What base64 stands for; the text itself where it is not the one that these bytes have. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    const binary = atob(base64);
    if (btoa(binary) === base64) return Uint8Array.from(binary, (one) => one.charCodeAt(0));
  } catch {
    // It is no base64 and will be refused.
  }
  return new TextEncoder().encode(base64);
}

async function sha256(bytes: BufferSource): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** JSON in which the order of properties makes no difference. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, one: unknown) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}
