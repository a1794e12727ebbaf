/** Shows a blob in an image, and gives the memory of what it showed before back. */
export function preview(image: HTMLImageElement, blob: Blob | undefined): void {
  if (image.src.startsWith("blob:")) URL.revokeObjectURL(image.src);
  if (blob === undefined) image.removeAttribute("src");
  else image.src = URL.createObjectURL(blob);
}
