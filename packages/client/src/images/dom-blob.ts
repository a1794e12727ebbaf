import { joinChunks, type BlobLike } from "../http/blob-like.ts";

/** A `Blob` of a DOM in tests. That of jsdom has only some of these methods, and that of happy-dom has no tag. */
interface DomBlob {
  readonly size?: number;
  readonly type?: string;
  slice?(start: number, end: number): DomBlob;
  arrayBuffer?(): Promise<ArrayBuffer>;
  stream?(): ReadableStream<Uint8Array>;
}

/** Returns an image that has a size and one way to be read: `arrayBuffer`, `stream`, or the `FileReader` of a DOM. */
export function domBlob(input: unknown): BlobLike | undefined {
  const blob = Object(input) as DomBlob;
  const { size, type = "" } = blob;
  const tag = Object.prototype.toString.call(input);
  const isReadable =
    ["arrayBuffer", "stream"].some((name) => typeof Reflect.get(blob, name) === "function") ||
    (/ (Blob|File)\]$/.test(tag) && "FileReader" in globalThis);
  if (typeof size !== "number" || !isReadable) return undefined;
  const slice = (start: number, end: number): Pick<Blob, "arrayBuffer"> => ({
    arrayBuffer: async () =>
      blob.slice ? read(blob.slice(start, end)) : (await read(blob)).slice(start, end),
  });
  // Only a `Blob` has a type.
  return Object.assign({ size, slice }, { type });
}

async function read(blob: DomBlob): Promise<ArrayBuffer> {
  if (blob.arrayBuffer) return blob.arrayBuffer();
  if (blob.stream) {
    const chunks: Uint8Array[] = [];
    const reader = blob.stream().getReader();
    for (let { value } = await reader.read(); value; { value } = await reader.read()) {
      chunks.push(value);
    }
    return joinChunks(chunks).buffer;
  }
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    // `readAsArrayBuffer` sets it to one. The tag is that of a `Blob`.
    reader.addEventListener("load", () => resolve(reader.result as ArrayBuffer));
    reader.addEventListener("error", () => reject(reader.error));
    reader.readAsArrayBuffer(blob as Blob);
  });
}
