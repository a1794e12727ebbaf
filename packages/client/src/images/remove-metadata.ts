import type { ImageHeader } from "./read-image-header.ts";

const codesOf = (text: string) => Array.from(text, (unit) => unit.charCodeAt(0));

/**
 * Removes the private parts of a JPEG, PNG or WebP without decoding it: EXIF with the location, XMP, IPTC, comments, other
 * images in the file, and data after its end. Keeps the pixels, their colors and the orientation. Returns `undefined`
 * for another format. The header must be that of the image, and not truncated.
 */
export async function removeMetadata(
  image: Uint8Array<ArrayBuffer>,
  { format, orientation }: Pick<ImageHeader, "format" | "orientation">,
): Promise<Blob | undefined> {
  const { length } = image;
  const isTurned = orientation > 1;
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const keep = (start: number, end: number) => parts.push(image.subarray(start, end));
  const add = (codes: Iterable<number>) => parts.push(Uint8Array.from(codes));
  const byte = (at: number) => image[at] ?? 0;
  const text = (at: number, count = 4) => String.fromCharCode(...image.subarray(at, at + count));
  /** EXIF data whose only field is the orientation. */
  const exif = codesOf("MM\0*\0\0\0\b\0\u0001\u0001\u0012\0\u0003\0\0\0\u0001\0\0\0\0\0\0\0\0");
  exif[19] = orientation;

  // Other codes belong to the scan data, or restart it.
  const isMarker = (at: number) =>
    byte(at) === 0xff && byte(at + 1) > 1 && byte(at + 1) < 0xff && byte(at + 1) >> 3 !== 26;

  if (format === "JPEG") {
    keep(0, 2);
    if (isTurned) add([0xff, 0xe1, 0, 34, ...codesOf("Exif\0\0"), ...exif]);
    for (let at = 2, end; at < length; at = end) {
      const marker = byte(at + 1);
      const name = text(at + 4, 5);
      end = at + 1;
      if (!isMarker(at)) continue;
      end = marker === 0xd9 ? length : at + 2 + Math.max(2, byte(at + 2) * 256 + byte(at + 3));
      if (marker === 0xda) {
        while ((end = image.indexOf(0xff, end)) >= 0 && !isMarker(end)) end += 1;
        if (end < 0) end = length;
      }
      // After these bytes, JFIF may have a thumbnail.
      if (marker === 0xe0 && name === "JFIF\0") {
        add([0xff, marker, 0, 16, ...image.subarray(at + 4, at + 16), 0, 0]);
      } else if (marker === 0xee && name === "Adobe") {
        add([0xff, marker, 0, 14, ...image.subarray(at + 4, at + 16)]);
      } else if (marker === 0xd9) keep(at, at + 2);
      else if (marker < 0xe0 || (marker === 0xe2 && name === "ICC_P")) keep(at, end);
    }
  } else if (format === "PNG") {
    const chunks = /IHDR|PLTE|IDAT|IEND|tRNS|sBIT|gAMA|cHRM|sRGB|iCCP|cICP|acTL|fcTL|fdAT/;
    keep(0, 8);
    for (let at = 8, end; at < length; at = end) {
      const type = text(at + 4);
      end = at + 12 + [0, 1, 2, 3].reduce((sum, next) => sum * 256 + byte(at + next), 0);
      if (chunks.test(type)) keep(at, end);
      if (type === "IEND") break;
      if (type === "IHDR" && isTurned) {
        const chunk = [...codesOf("eXIf"), ...exif];
        let crc = -1;
        for (const code of chunk) {
          crc ^= code;
          for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xed_b8_83_20 : 0);
        }
        add([0, 0, 0, 26, ...chunk, ...[24, 16, 8, 0].map((shift) => ~crc >> shift)]);
      }
    }
  } else if (format === "WebP") {
    const little = (at: number) =>
      [3, 2, 1, 0].reduce((sum, next) => sum * 256 + byte(at + next), 0);
    for (let at = 12, end; at < Math.min(length, 8 + little(4)); at = end) {
      const type = text(at);
      end = at + 8 + little(at + 4);
      // Parts have an even length.
      end += end % 2;
      if (type === "VP8X") {
        // The flags of EXIF and XMP.
        add([...image.subarray(at, at + 8), (byte(at + 8) & ~12) | (isTurned ? 8 : 0)]);
        keep(at + 9, end);
      } else if (/VP8[ L]|ALPH|ANIM|ANMF|ICCP/.test(type)) keep(at, end);
    }
    if (isTurned) add([...codesOf("EXIF"), 26, 0, 0, 0, ...exif]);
    const size = parts.reduce((sum, part) => sum + part.length, 4);
    parts.unshift(
      Uint8Array.from([
        ...codesOf("RIFF"),
        ...[0, 8, 16, 24].map((shift) => size >> shift),
        ...codesOf("WEBP"),
      ]),
    );
  } else return undefined;
  // Firefox 153 decodes no image whose first part is as small as the first one here.
  const bytes = await new Blob(parts).arrayBuffer();
  return new Blob([bytes], { type: `image/${format.toLowerCase()}` });
}
