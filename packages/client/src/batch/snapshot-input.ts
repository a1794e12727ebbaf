import { copyBytes } from "../images/image-source.ts";

/** Maximum number of list items that are copied: more images than a try-on takes. */
const maxCopiedItems = 4;
/** Maximum depth that is copied: more than valid metadata has. It also ends circular objects. */
const maxDepth = 20;

/**
 * Copies bytes, lists and plain objects of an input, so that later changes have no effect. Keeps everything else: blobs do
 * not change, and streams can be read only once.
 */
export function snapshotInput(input: unknown): unknown {
  if (typeof input !== "object" || input === null) return input;
  const { person, garments } = input as { person?: unknown; garments?: unknown };
  // An input of a class may inherit these two.
  return snapshot({ person, garments, ...input }, 0);
}

function snapshot(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null || depth > maxDepth) return value;
  const inner = (item: unknown): unknown => snapshot(item, depth + 1);
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => (index < maxCopiedItems ? inner(item) : item));
  }
  const bytes = copyBytes(value);
  if (bytes) return bytes;
  // Other classes may have a `toJSON`.
  if (Object.getPrototypeOf(Object.getPrototypeOf(value) ?? Object.prototype) !== null)
    return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inner(item)]));
}
