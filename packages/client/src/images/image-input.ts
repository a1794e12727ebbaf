import { InputError } from "../errors/input-error.ts";

/** An image: an https address, or the image itself. */
export type ImageInput = string | URL | Blob | ArrayBuffer | Uint8Array;

/** An image that is sent as bytes. Nobody else can change it: bytes are a copy, and blobs never change. */
export interface ImageSource {
  /** What the caller calls it. */
  readonly field: string;
  readonly content: Blob | Uint8Array<ArrayBuffer>;
}

/** An image that is sent as an address. */
interface ImageAddress {
  readonly address: string;
}

/** What an image can be given as. */
export const imageHint = "Give an https address, a Blob (fs.openAsBlob in Node), or bytes.";

/** Tells the kinds of images apart, and copies bytes. Throws `invalid_input` for anything else. */
export function readImageInput(input: unknown, field: string): ImageAddress | ImageSource {
  if (typeof input === "string") return { address: input };
  if (isBlob(input)) return { field, content: input };
  if (ArrayBuffer.isView(input)) {
    const { buffer, byteOffset, byteLength } = input;
    return { field, content: new Uint8Array(buffer, byteOffset, byteLength).slice() };
  }
  if (tagOf(input) === "ArrayBuffer" || tagOf(input) === "SharedArrayBuffer") {
    // The tag says so, also for a buffer of another realm.
    return { field, content: new Uint8Array(input as ArrayBuffer).slice() };
  }
  if (tagOf(input) === "URL") return { address: String(input) };
  throw new InputError(field, "is not an image", {
    hint: imageHint,
  });
}

function isBlob(input: unknown): input is Blob {
  const tag = tagOf(input);
  return tag === "Blob" || tag === "File";
}

/** The class that an object says it is of, which holds across realms where `instanceof` does not. */
function tagOf(input: unknown): string {
  return Object.prototype.toString.call(input).slice(8, -1);
}
