import { maxImageBytes } from "../images/check-image.ts";
import { snapshotInput } from "./snapshot-input.ts";

/**
 * Returns a snapshot of an input that can be read repeatedly. Reads streams and responses into blobs, up to the maximum image
 * size and one chunk.
 */
export async function reusableInput(input: unknown): Promise<unknown> {
  const captured = snapshotInput(input);
  if (typeof captured !== "object" || captured === null) return captured;
  // Programs without types can pass anything.
  const { person, garments } = captured as { person?: unknown; garments?: unknown };
  return {
    ...captured,
    person: await blobOf(person),
    garments: Array.isArray(garments) ? await Promise.all(garments.map(blobOf)) : garments,
  };
}

async function blobOf(image: unknown): Promise<unknown> {
  // Tags work across realms, unlike `instanceof`.
  const tag = Object.prototype.toString.call(image).slice(8, -1);
  if (tag !== "Response" && tag !== "ReadableStream") return image;
  const reader = readerOf(image as Response | ReadableStream);
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
function readerOf(image: Response | ReadableStream) {
  try {
    const response = "body" in image ? image : new Response(image);
    return response.ok && !response.bodyUsed ? response.body?.getReader() : undefined;
  } catch {
    return undefined;
  }
}
