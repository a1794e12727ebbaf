import { prepareImage } from "@tryon/client/session";

/**
 * Turns a photo upright, shrinks it, and removes its metadata, such as the location. Returns a file that the browser cannot
 * decode unchanged.
 */
export async function prepareFile(file: Blob): Promise<Blob> {
  // WebP keeps the transparency of garments. Safari writes only JPEG.
  return prepareImage(file, { format: "webp" })
    .catch(() => prepareImage(file))
    .catch(() => file);
}
