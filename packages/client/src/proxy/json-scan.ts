/** Maximum number of property names, and of list items, in a body at any depth. */
const maxEntries = 256;
/** Maximum depth of objects and lists in a body. */
const maxDepth = 8;

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c] as const;
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d] as const;

/**
 * Counts what makes JSON costly to parse, in one pass over its bytes and before it is parsed. Text that is not JSON can
 * have wrong counts: parsing it ends at the first error, and the counts up to there are right.
 */
export class JsonScan {
  /** Number of property names, duplicates included. */
  names = 0;
  /** Number of list items; an empty list counts as one. */
  items = 0;
  /** Maximum depth so far. */
  depth = 0;
  #open = 0;
  /** One bit per open object (0) or list (1), the innermost last. */
  #lists = 0;
  #inString = false;
  #escaped = false;

  /** Counts the next bytes, and returns the limit that the body exceeds, if any; then the scan is over. */
  read(bytes: Uint8Array): string | undefined {
    let inString = this.#inString;
    let escaped = this.#escaped;
    // An index is twice as fast as for … of here, and images are long.
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === backslash) escaped = true;
        else if (byte === quote) inString = false;
      } else if (byte === quote) {
        inString = true;
      } else {
        const limit = this.#count(byte);
        if (limit !== undefined) return limit;
      }
    }
    this.#inString = inString;
    this.#escaped = escaped;
    return undefined;
  }

  #count(byte: number): string | undefined {
    switch (byte) {
      case colon:
        this.names += 1;
        break;
      case comma:
        this.items += this.#lists & 1;
        break;
      case openList:
        this.items += 1;
        this.#enter(1);
        break;
      case openObject:
        this.#enter(0);
        break;
      case closeList:
      case closeObject:
        this.#open -= 1;
        this.#lists >>>= 1;
        break;
      default:
        return undefined;
    }
    if (this.names > maxEntries) return `more than ${maxEntries} property names`;
    if (this.items > maxEntries) return `more than ${maxEntries} list items`;
    return this.depth > maxDepth ? `a depth of more than ${maxDepth}` : undefined;
  }

  #enter(list: 0 | 1): void {
    this.#open += 1;
    this.depth = Math.max(this.depth, this.#open);
    this.#lists = (this.#lists << 1) | list;
  }
}
