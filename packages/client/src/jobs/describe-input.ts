import type { ReadImage, ReadInput } from "./validate.ts";

/** What is about to be sent, for a log: images by kind and size, and the other fields. */
export function describeInput({ fields, person, garments }: ReadInput): string {
  const images = [...person, ...garments].map((image) => `${image.field} ${describeImage(image)}`);
  return ["sends", ...images, fields].join(" ");
}

function describeImage({ content }: ReadImage): string {
  const isText = typeof content === "string";
  const bytes = isText ? content.length * 0.75 : content.size;
  // Only blobs say what they are.
  const { type = "" } = isText ? {} : (content as Partial<Blob>);
  const size = bytes < 1e5 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
  return `<${type || "image"} ${size}>`;
}
