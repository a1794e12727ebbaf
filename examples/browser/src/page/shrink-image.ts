/** Larger files slow down phones without improving the result. */
const maxBytes = 3_000_000;
const maxSide = 2_400;

/**
 * Reduces the size of a large photo, and removes its metadata, such as the location. Returns small files and files that the
 * browser cannot decode unchanged.
 */
export async function shrinkImage(file: Blob): Promise<Blob> {
  if (file.size <= maxBytes) return file;
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (bitmap === undefined) return file;
  const scale = Math.min(1, maxSide / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(bitmap.width * scale);
  canvas.height = Math.round(bitmap.height * scale);
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  // WebP keeps transparency. Browsers that cannot encode it return PNG.
  const shrunk = await new Promise<Blob | null>((resolve) =>
    canvas.toBlob(resolve, "image/webp", 0.92),
  );
  return shrunk !== null && shrunk.size < file.size ? shrunk : file;
}
