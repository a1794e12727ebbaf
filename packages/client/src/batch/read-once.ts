import { maxImageBytes } from "../images/image-head.ts";
import { snapshotInput } from "../jobs/snapshot-input.ts";

/**
 * An input that can be read as often as needed and that nobody changes any more: what can be read only once is read into
 * a blob, up to a byte more than the service takes.
 */
export async function rereadable(input: unknown): Promise<unknown> {
  const captured = snapshotInput(input);
  if (typeof captured !== "object" || captured === null) return captured;
  // Types cannot stop those who do not use them.
  const { person, garments } = captured as { person?: unknown; garments?: unknown };
  return {
    ...captured,
    person: await blobOf(person),
    garments: Array.isArray(garments) ? await Promise.all(garments.map(blobOf)) : garments,
  };
}

async function blobOf(image: unknown): Promise<unknown> {
  // Tags hold across realms, where `instanceof` does not.
  const tag = Object.prototype.toString.call(image).slice(8, -1);
  if (tag !== "Response" && tag !== "ReadableStream") return image;
  const reader = readerOf(image as Response | ReadableStream);
  // Whoever sends it says what is wrong with it.
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

/** What reads an image, if that can be done: another item may have the same one, and have read it. */
function readerOf(image: Response | ReadableStream) {
  try {
    const answer = "body" in image ? image : new Response(image);
    return answer.ok && !answer.bodyUsed ? answer.body?.getReader() : undefined;
  } catch {
    return undefined;
  }
}
