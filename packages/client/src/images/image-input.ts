import type { Note } from "../jobs/input-issue.ts";

/**
 * An image: an https address; the image itself as `Blob`, `File`, bytes, `Response` or stream; or its base64, also as a
 * data URI.
 */
export type ImageInput =
  | string
  | URL
  | Blob
  | ArrayBuffer
  | Uint8Array
  | Response
  | ReadableStream<Uint8Array>
  | { readonly base64: string };

/** What images are read from: a `Blob`, or bytes that look like one. */
export interface ImageBytes {
  readonly size: number;
  slice(start: number, end: number): Pick<Blob, "arrayBuffer">;
  /** Pieces that belong to whoever reads them. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** An image that is sent in the body. */
export interface ImageSource<Content = ImageBytes | string | Response> {
  /** What the caller calls it. */
  readonly field: string;
  /** What never changes, base64, or what can be read only once. */
  readonly content: Content;
}

/** Tells the kinds of images apart: gives an address, or what is sent in the body. */
export function readImageInput(
  input: unknown,
  field: string,
  note: Note,
): string | ImageSource | undefined {
  // Tags hold across realms, where `instanceof` does not; each cast below is what the tag says.
  const tag = tagOf(input);
  const address = tag === "String" || tag === "URL" ? String(input) : "";
  const base64 =
    /^data:[^,]*;base64,(.*)/is.exec(address)?.[1] ??
    (Object(input) as { base64?: unknown }).base64;
  if (typeof base64 === "string") return { field, content: plainBase64(base64) };
  if (address !== "") return address;
  try {
    if (tag === "Blob" || tag === "File") return { field, content: input as Blob };
    // Bytes were copied at the call, but for memory that had been given away by then.
    if (tag === "Uint8Array") return { field, content: viewOf(input as Uint8Array<ArrayBuffer>) };
    if (tag === "ReadableStream" || tag === "Response") {
      const isAnswer = tag === "Response";
      const answer = isAnswer ? (input as Response) : new Response(input as ReadableStream);
      if (answer.ok) return { field, content: answer };
      note("not_an_image", field, `an answer with status ${answer.status}`);
    } else {
      note("wrong_kind", field);
    }
  } catch {
    note("unreadable", field);
  }
  return undefined;
}

/** Handed out at a time. */
const pieceLength = 192 * 1_024;

/** Bytes of our own. Not a blob, since Node keeps three copies of what is read from one until memory gets short. */
function viewOf(bytes: Uint8Array<ArrayBuffer>): ImageBytes {
  return {
    size: bytes.length,
    slice: (from, to) => ({ arrayBuffer: async () => bytes.slice(from, to).buffer }),
    stream: () => {
      let start = 0;
      return new ReadableStream({
        pull(controller) {
          if (start < bytes.length) controller.enqueue(bytes.slice(start, (start += pieceLength)));
          else controller.close();
        },
      });
    },
  };
}

/** Base64 as the service takes it, of what is base64url, in lines, or without its padding. */
function plainBase64(text: string): string {
  const plain = text.replace(/\s+/g, "").replace(/-/g, "+").replace(/_/g, "/");
  return plain + "=".repeat(-plain.length & 3);
}

/** The class that an object says it is of. */
function tagOf(input: unknown): string {
  return Object.prototype.toString.call(input).slice(8, -1);
}
