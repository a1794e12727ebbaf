import { encodePng, pngChunk, pngSignature as signature } from "@tryon/shared/png";

const headerEnd = 24;
const [ihdr, iend] = [0x49484452, 0x49454e44];

export interface IndexedImage {
  readonly width: number;
  readonly height: number;
  /** IDAT chunk, which `pngChunk` creates from compressed rows. */
  readonly data: Uint8Array;
  /** Up to 16 colors as 0xRRGGBB. */
  readonly palette: readonly number[];
  /** Comment in ASCII, for the tEXt chunk. */
  readonly comment: string;
}

export function encodeIndexed(image: IndexedImage): Uint8Array<ArrayBuffer> {
  const palette = image.palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]);
  return encodePng(
    image.width,
    image.height,
    [4, 3],
    [
      pngChunk("PLTE", Uint8Array.from(palette)),
      pngChunk("tEXt", new TextEncoder().encode(`Comment\0${image.comment}`)),
      image.data,
    ],
  );
}

/**
 * Returns the size of a PNG, or undefined for anything but a whole one: the signature, IHDR, and chunks up to IEND. Bytes
 * after that are allowed.
 */
export function pngSize(bytes: Uint8Array): { width: number; height: number } | undefined {
  if (!ArrayBuffer.isView(bytes) || bytes.length < headerEnd) return undefined;
  if (signature.some((byte, index) => bytes[index] !== byte)) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(12) !== ihdr) return undefined;
  // A chunk has its length, its type, its data and a checksum.
  for (let at = signature.length; at + 12 <= bytes.length; at += 12 + view.getUint32(at)) {
    if (view.getUint32(at + 4) !== iend) continue;
    return { width: view.getUint32(16), height: view.getUint32(20) };
  }
  return undefined;
}
