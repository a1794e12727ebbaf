/** Whether bytes begin as gzip does (RFC 1952, section 2.3.1). */
export function isCompressed(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** What gzip holds, or nothing where it is broken or holds more than `most` bytes. */
export async function decompress(
  bytes: Uint8Array,
  most: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    const plain = new Blob([bytes.slice()]).stream().pipeThrough(new DecompressionStream("gzip"));
    const chunks: number[] = [];
    const reader = plain.getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      if (chunks.length + read.value.length > most) {
        await reader.cancel();
        return undefined;
      }
      for (const byte of read.value) chunks.push(byte);
    }
    return Uint8Array.from(chunks);
  } catch {
    return undefined;
  }
}
