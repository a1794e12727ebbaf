import type { Note } from "../errors/input-issue.ts";
import type { Deadline } from "../http/deadline.ts";
import { readChunks } from "../http/response.ts";

/** Maximum size of an image in bytes: as many as base64 of `maxBase64Length` holds. */
export const maxImageBytes = 10_500_000;

/** Bytes that can be read repeatedly: a `Blob`, or memory. */
export interface BlobLike {
  readonly size: number;
  slice(start: number, end: number): Pick<Blob, "arrayBuffer">;
}

/** Base64, or bytes that can be read repeatedly. */
export type ImageContent = string | BlobLike;

/** Image that is part of the request body. */
export interface ImageSource<Content = ImageContent | Response> {
  /** Field of the input. */
  readonly field: string;
  /** A `Response` can be read only once. */
  readonly content: Content;
}

/** Returns the URL of an image, or its source if it is part of the body. Copies bytes. Notes any other value. */
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
  const bytes = copyBytes(input);
  if (bytes) return { field, content: blobLike(bytes) };
  try {
    if (tag === "Blob" || tag === "File") return { field, content: input as Blob };
    if (tag === "Response" || tag === "ReadableStream") {
      const isResponse = tag === "Response";
      const response = isResponse ? (input as Response) : new Response(input as ReadableStream);
      if (response.ok) return { field, content: response };
      note("not_an_image", field, `a response with status ${response.status}`);
    } else {
      note("wrong_kind", field);
    }
  } catch {
    note("unreadable", field);
  }
  return undefined;
}

/** Copies bytes. Returns no bytes if their memory was transferred, and undefined for any other value. */
function copyBytes(value: unknown): Uint8Array<ArrayBuffer> | undefined {
  const isBuffer = /ArrayBuffer\]/.test(Object.prototype.toString.call(value));
  if (!isBuffer && !ArrayBuffer.isView(value)) return undefined;
  const { buffer = value, byteOffset, byteLength } = value as Partial<Uint8Array>;
  try {
    // Without a `buffer`, the value is a buffer.
    return new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength).slice();
  } catch {
    return new Uint8Array();
  }
}

/** Creates a `BlobLike` of memory. Node keeps up to three copies of the bytes that are read from a `Blob`. */
export function blobLike(bytes: Uint8Array<ArrayBuffer>): BlobLike {
  return {
    size: bytes.length,
    slice: (start, end) => ({ arrayBuffer: async () => bytes.slice(start, end).buffer }),
  };
}

/** Converts base64url, lines and missing padding to the base64 that the service accepts. */
function standardBase64(text: string): string {
  const base64 = text.replace(/\s+/g, "").replace(/-/g, "+").replace(/_/g, "/");
  return base64 + "=".repeat(-base64.length & 3);
}

/** Returns true if the image can be read repeatedly. */
export function isRepeatable(image: ImageSource): image is ImageSource<ImageContent> {
  return typeof image.content === "string" || "slice" in image.content;
}

/** Reads an image into memory if it can be read only once. Returns undefined and notes why if it cannot be read. */
export async function repeatableSource(
  image: ImageSource,
  note: Note,
  deadline: Deadline,
): Promise<ImageSource<ImageContent> | undefined> {
  if (isRepeatable(image)) return image;
  const { field, content } = image;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  try {
    // Only a response cannot be read repeatedly.
    for await (const chunk of readChunks(content as Response, deadline)) {
      size += chunk.length;
      if (size > maxImageBytes) break;
      chunks.push(chunk);
    }
    if (size <= maxImageBytes) return { field, content: new Blob(chunks) };
    note("too_large", field, `${size} or more`, maxImageBytes);
  } catch {
    deadline.signal.throwIfAborted();
    note("unreadable", field);
  }
  return undefined;
}
