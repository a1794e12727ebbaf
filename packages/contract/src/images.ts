import { deflateSync } from "node:zlib";

import { crc32, encodePng, pngChunk, pngSignature } from "@tryon/shared/png";

export const images = {
  person: png(96, 128, [196, 160, 132]).toString("base64"),
  garment: png(96, 96, [40, 84, 160]).toString("base64"),
};

/** Images of 64×64 pixels by their kind, in base64. AVIF is in the container of HEIC. */
export const samples = {
  png: png(64, 64, [196, 160, 132]).toString("base64"),
  jpeg: "/9j/2wBDABQODxIPDRQSEBIXFRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNiUFVtVkVGZIhlbXd7gYKBTmCNl4x9lnN+gXz/2wBDARUXFx4aHjshITt8U0ZTfHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHz/wAARCABAAEADASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAX/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAAAAT/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCgAnUAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAP/Z",
  webp: "UklGRkIAAABXRUJQVlA4IDYAAACQAwCdASpAAEAAPzmcyV2vKyikoggB4CcJaQAAEDdTUAV4hbkAAP7bUf0Hxcv52Pa4AAAAAAA=",
  gif: "R0lGODlhQABAAIAAAExpccSghCH5BAUAAAAALAAAAABAAEAAAAJFjI+py+0Po5y02ouz3rz7D4biSJbmiabqyrbuC8fyTNf2jef6zvf+DwwKh8Si8YhMKpfMpvMJjUqn1Kr1is1qt9yuN1AAADs=",
  heic: "AAAAHGZ0eXBhdmlmAAAAAG1pZjFhdmlmbWlhZgAAANZtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAACJpbG9jAAAAAERAAAEAAQAAAAAA+gABAAAAAAAAACQAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABhdjAxAAAAAA5waXRtAAAAAAABAAAAVmlwcnAAAAA4aXBjbwAAAAxhdjFDgSACAAAAABRpc3BlAAAAAAAAAEAAAABAAAAAEHBpeGkAAAAAAwgICAAAABZpcG1hAAAAAAAAAAEAAQOBAgMAAAAsbWRhdBIACgk4FX/9pAQ0GkAyFR2CYsTgABYAAJe/PYi++I359yiVUA==",
};

export function png(
  width: number,
  height: number,
  color: readonly [red: number, green: number, blue: number],
): Buffer {
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(3 * width, Uint8Array.from(color))]);
  const rows = Buffer.concat(Array.from({ length: height }, () => row));
  const data = pngChunk("IDAT", deflateSync(rows));
  return Buffer.from(encodePng(width, height, [8, 2], [data]));
}

export interface PngHeader {
  readonly width: number;
  readonly height: number;
}

export function readPngHeader(bytes: Uint8Array): PngHeader | undefined {
  const data = Buffer.from(bytes);
  const isPng = data.length >= 33 && data.subarray(0, 8).equals(pngSignature);
  if (!isPng || data.toString("latin1", 12, 16) !== "IHDR" || data.readUInt32BE(8) !== 13) {
    return undefined;
  }
  return { width: data.readUInt32BE(16), height: data.readUInt32BE(20) };
}

export function pngProblem(bytes: Uint8Array): string | undefined {
  if (readPngHeader(bytes) === undefined) return "it does not start as one";
  const data = Buffer.from(bytes);
  let hasData = false;
  for (let at = pngSignature.length; at + 12 <= data.length;) {
    const length = data.readUInt32BE(at);
    const end = at + 12 + length;
    if (end > data.length) break;
    const type = data.toString("latin1", at + 4, at + 8);
    if (crc32(data.subarray(at + 4, end - 4)) !== data.readUInt32BE(end - 4)) {
      return `the checksum of its chunk ${type} is wrong`;
    }
    if (type === "IDAT" && length > 0) hasData = true;
    if (type === "IEND") return hasData ? undefined : "it has no image data";
    at = end;
  }
  return `it ends early, after ${data.length} bytes`;
}
