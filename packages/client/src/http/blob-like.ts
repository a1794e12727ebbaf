export interface BlobLike {
  readonly size: number;
  slice(start: number, end: number): Pick<Blob, "arrayBuffer">;
}

/** Creates a `BlobLike` of memory. Node keeps up to three copies of the bytes that are read from a `Blob`. */
export function blobLike(bytes: Uint8Array<ArrayBuffer>): BlobLike {
  return {
    size: bytes.length,
    slice: (start, end) => ({ arrayBuffer: async () => bytes.slice(start, end).buffer }),
  };
}

export function joinChunks(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
