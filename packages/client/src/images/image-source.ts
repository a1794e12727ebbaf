import { isPage } from "#page";
import { describePath, imageOf, nodeImage } from "#runtime";

import type { Note } from "../errors/input-issue.ts";
import type { BlobLike } from "../http/blob-like.ts";
import { domBlob } from "./dom-blob.ts";

type ImageContent = string | BlobLike;

export interface ImageSource<Content = ImageContent | Response> {
  readonly field: string;
  /** A `Response` can be read only once. */
  readonly content: Content;
}

export type RepeatableImage = ImageSource<ImageContent>;

export function isPerson({ field }: { readonly field: string }): boolean {
  return field.startsWith("person");
}

export function imageSource(
  input: unknown,
  field: string,
  note: Note,
): string | ImageSource | undefined {
  // Tags work across realms, unlike `instanceof`. Each cast below is to the type of the tag.
  const tag = Object.prototype.toString.call(input).slice(8, -1);
  const text = tag === "String" || tag === "URL" ? String(input) : "";
  const base64 =
    /^data:[^,]*;base64,(.*)/is.exec(text)?.[1] ?? (Object(input) as { base64?: unknown }).base64;
  if (typeof base64 === "string") return { field, content: standardBase64(base64) };
  if (text !== "") return text;
  try {
    if (tag.endsWith("ArrayBuffer") || ArrayBuffer.isView(input)) {
      // Without a `buffer`, the input is a buffer.
      const { buffer = input, byteOffset, byteLength } = input as Partial<Uint8Array>;
      const bytes = new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
      return { field, content: imageOf(bytes) };
    }
    const isBlob = tag === "Blob" || tag === "File";
    if (isPage ? isBlob : isBlob && "arrayBuffer" in Object(input))
      return { field, content: input as Blob };
    if (tag === "Response" || tag === "ReadableStream") {
      const isResponse = tag === "Response";
      const response = isResponse ? (input as Response) : new Response(input as ReadableStream);
      if (response.ok) return { field, content: response };
      note("not_an_image", field, `a response with status ${response.status}`);
    } else {
      const blob = isPage ? undefined : domBlob(input);
      if (blob) return { field, content: blob };
      const content = nodeImage(input);
      if (content) return imageSource(content, field, note);
      note("wrong_kind", field, describePath(input));
    }
  } catch {
    note("unreadable", field);
  }
  return undefined;
}

function standardBase64(text: string): string {
  const base64 = text.replace(/\s+/g, "").replace(/-/g, "+").replace(/_/g, "/");
  return base64 + "=".repeat(-base64.length & 3);
}

export function isRepeatable(image: ImageSource): image is RepeatableImage {
  return typeof image.content === "string" || "slice" in image.content;
}
