/** More than this gains nothing in the picture and costs time on a phone's connection, in bytes and pixels. */
const heavy = 3_000_000;
const longestSide = 2_400;

/**
 * A photo that is heavy, made lighter. What stands in it besides the picture, such as the place where it was taken, goes
 * with it. A light one, and one that the browser cannot read, come back as they are.
 */
export async function shrink(file: Blob): Promise<Blob> {
  if (file.size <= heavy) return file;
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (bitmap === undefined) return file;
  const scale = Math.min(1, longestSide / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(bitmap.width * scale);
  canvas.height = Math.round(bitmap.height * scale);
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  // WebP keeps what is transparent around a garment; a browser that cannot write it writes PNG.
  const made = await new Promise<Blob | null>((resolve) =>
    canvas.toBlob(resolve, "image/webp", 0.92),
  );
  return made !== null && made.size < file.size ? made : file;
}
