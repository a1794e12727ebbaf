import { createHash } from "node:crypto";

import { png } from "../images.ts";
import type { ImageKind } from "../record/exchange.ts";

const samples: Readonly<Record<ImageKind, Buffer>> = {
  png: png(64, 64, [196, 160, 132]),
  jpeg: Buffer.from(
    "/9j/2wBDABQODxIPDRQSEBIXFRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNiUFVtVkVGZIhlbXd7gYKBTmCNl4x9lnN+gXz/2wBDARUXFx4aHjshITt8U0ZTfHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHz/wAARCABAAEADASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAX/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAAAAT/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCgAnUAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAP/Z",
    "base64",
  ),
  webp: Buffer.from(
    "UklGRkIAAABXRUJQVlA4IDYAAACQAwCdASpAAEAAPzmcyV2vKyikoggB4CcJaQAAEDdTUAV4hbkAAP7bUf0Hxcv52Pa4AAAAAAA=",
    "base64",
  ),
  gif: Buffer.from(
    "R0lGODlhQABAAIAAAExpccSghCH5BAUAAAAALAAAAABAAEAAAAJFjI+py+0Po5y02ouz3rz7D4biSJbmiabqyrbuC8fyTNf2jef6zvf+DwwKh8Si8YhMKpfMpvMJjUqn1Kr1is1qt9yuN1AAADs=",
    "base64",
  ),
  heic: Buffer.from(
    "AAAAHGZ0eXBhdmlmAAAAAG1pZjFhdmlmbWlhZgAAANZtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAACJpbG9jAAAAAERAAAEAAQAAAAAA+gABAAAAAAAAACQAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABhdjAxAAAAAA5waXRtAAAAAAABAAAAVmlwcnAAAAA4aXBjbwAAAAxhdjFDgSACAAAAABRpc3BlAAAAAAAAAEAAAABAAAAAEHBpeGkAAAAAAwgICAAAABZpcG1hAAAAAAAAAAEAAQOBAgMAAAAsbWRhdBIACgk4FX/9pAQ0GkAyFR2CYsTgABYAAJe/PYi++I359yiVUA==",
    "base64",
  ),
};

/**
 * Returns bytes of a recorded kind and length: an image if there is room for one, followed by bytes that depend on the
 * digest. The same digest gives the same bytes.
 */
export function regenerate(
  kind: ImageKind | "bytes",
  length: number,
  sha256: string,
): Buffer<ArrayBuffer> {
  const sample = kind === "bytes" ? Buffer.alloc(0) : samples[kind];
  const bytes = Buffer.alloc(length, createHash("sha256").update(sha256).digest());
  sample.copy(bytes);
  return bytes;
}
