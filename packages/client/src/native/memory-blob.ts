import { binaryText, decodeUtf8 } from "./read-utf8.ts";

type BlobPart = string | ArrayBuffer | Uint8Array | MemoryBlob;

/** `Blob` of bytes in memory. The one of React Native cannot be made of bytes, and has no `arrayBuffer`. */
export class MemoryBlob {
  readonly type: string;
  readonly #bytes: Uint8Array<ArrayBuffer>;

  constructor(parts: readonly BlobPart[] = [], { type = "" }: { readonly type?: string } = {}) {
    const all = parts.map(bytesOf);
    this.type = type;
    this.#bytes = new Uint8Array(all.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const bytes of all) {
      this.#bytes.set(bytes, at);
      at += bytes.length;
    }

    function bytesOf(part: BlobPart): Uint8Array {
      if (typeof part === "string") return new TextEncoder().encode(part);
      if (part instanceof MemoryBlob) return part.#bytes;
      return part instanceof ArrayBuffer ? new Uint8Array(part) : part;
    }
  }

  get size(): number {
    return this.#bytes.length;
  }

  get [Symbol.toStringTag](): string {
    return "Blob";
  }

  slice(start?: number, end?: number, type = ""): MemoryBlob {
    return new MemoryBlob([this.#bytes.subarray(start, end)], { type });
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return this.#bytes.slice().buffer;
  }

  async text(): Promise<string> {
    return decodeUtf8(binaryText(this.#bytes));
  }
}
