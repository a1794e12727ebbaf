/** More than a try-on takes: a list of a thousand photos is refused without a copy of each. */
const mostCopied = 4;
/** Deeper than any metadata that fits; what goes round in circles ends here, too. */
const deepest = 20;

/**
 * An input as it is now: bytes, lists and plain objects are copied, so that what their owner does to them afterwards has
 * no effect. Everything else is kept as it is: blobs never change, and streams can be read only once.
 */
export function snapshotInput(input: unknown): unknown {
  if (typeof input !== "object" || input === null) return input;
  const { person, garments } = input as { person?: unknown; garments?: unknown };
  // These two also where a class has them.
  return snapshot({ person, garments, ...input }, 0);
}

function snapshot(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null || depth > deepest) return value;
  const inside = (one: unknown): unknown => snapshot(one, depth + 1);
  if (Array.isArray(value)) {
    return value.map((one: unknown, index) => (index < mostCopied ? inside(one) : one));
  }
  // Tags hold across realms, where `instanceof` does not.
  if (ArrayBuffer.isView(value) || /ArrayBuffer\]/.test(Object.prototype.toString.call(value))) {
    return copyOf(value);
  }
  // Objects of a class may be written as JSON in a way of their own.
  if (Object.getPrototypeOf(Object.getPrototypeOf(value) ?? Object.prototype) !== null)
    return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inside(one)]));
}

/** A copy of bytes, which has none where their memory was given away. */
function copyOf(bytes: Partial<Uint8Array>): Uint8Array {
  const { buffer = bytes, byteOffset, byteLength } = bytes;
  try {
    // What is no view is its own buffer.
    return new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength).slice();
  } catch {
    return new Uint8Array();
  }
}
