import { isPage } from "#page";

import { isBrowser } from "../config/resolve-config.ts";
import { InputError } from "../errors/refusal-errors.ts";
import type { InputIssue } from "../errors/input-issue.ts";
import type { Bytes } from "../types/result-image.ts";
import { blobLike, joinChunks, type BlobLike } from "../http/blob-like.ts";
import type { BodySource, SubmissionBody } from "../http/http-request.ts";
import { isPerson, type RepeatableImage } from "../images/image-source.ts";

/** Number of bytes that are read and sent at once: a multiple of 3, so that their base64 has no padding. */
const chunkSize = 96 * 1_024;
const maxStringBody = 128 * 1_024;

/** Number of bytes that `btoa` encodes at once: a multiple of 3, within the limit of arguments of a call. */
const btoaLength = 8_190;

interface Part {
  readonly content: BlobLike;
  readonly field?: string;
}

export function submissionBody(
  fields: string,
  images: readonly RepeatableImage[],
  wait: boolean,
): SubmissionBody {
  const parts: Part[] = [];
  let text = fields.replace(/\}$/, `${fields === "{}" ? "" : ","}"wait":${wait}`);
  let end = "}";
  for (const { field, content } of images) {
    if (isPerson({ field })) {
      text += ',"person_image_b64":';
    } else {
      text += end === "}" ? ',"garment_images_b64":[' : ",";
      end = "]}";
    }
    if (typeof content === "string") {
      text += JSON.stringify(content);
    } else {
      parts.push(textPart(`${text}"`), { content, field });
      text = '"';
    }
  }
  text += end;
  if (parts.length === 0 && text.length <= maxStringBody) return text;
  return new ImageBody([...parts, textPart(text)]);
}

function textPart(text: string): Part {
  return { content: blobLike(new TextEncoder().encode(text)) };
}

/** Body whose images each attempt reads and encodes in chunks, so that it is never in memory as a whole. */
class ImageBody implements BodySource {
  readonly length: number;
  unreadable: InputError | undefined;
  readonly #parts: readonly Part[];

  constructor(parts: readonly Part[]) {
    this.#parts = parts;
    const sizes = parts.map(({ content: { size }, field }) =>
      field ? Math.ceil(size / 3) * 4 : size,
    );
    this.length = sizes.reduce((sum, size) => sum + size);
  }

  async open(
    headers: Record<string, string>,
    onRead: (isEnd: boolean) => void,
  ): Promise<RequestInit> {
    this.unreadable = undefined;
    const chunks = this.chunks(encodeBase64);
    // Browsers send streams over HTTP/2 only.
    if (!isPage && this.length > maxStringBody && !isBrowser()) {
      headers["Content-Length"] = String(this.length);
      const stream = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const { done, value } = await chunks.next();
          onRead(done === true);
          if (done) controller.close();
          else controller.enqueue(value);
        },
      });
      return streamInit(stream, this.length);
    }
    // The `fetch` of Node does not know the `Blob` of a DOM in tests.
    if (!isPage && !Function.prototype.toString.call(Blob).includes("[native code]")) {
      const copies: Bytes[] = [];
      for await (const chunk of chunks) copies.push(chunk);
      return { body: joinChunks(copies) };
    }
    const blobs: Blob[] = [];
    for await (const chunk of chunks) blobs.push(new Blob([chunk]));
    return { body: new Blob(blobs) };
  }

  async *chunks(
    encode: (bytes: Bytes) => Bytes,
    length = chunkSize,
  ): AsyncGenerator<Bytes, void, undefined> {
    for (const { content, field } of this.#parts) {
      const { size } = content;
      for (let start = 0; start < size; start += length) {
        const end = Math.min(start + length, size);
        const bytes = await readBytes(content, start, end);
        if (bytes?.byteLength !== end - start) {
          throw (this.unreadable = new InputError([unreadableIssue(field)]));
        }
        const chunk = new Uint8Array(bytes);
        yield field === undefined ? chunk : encode(chunk);
        // Frees the memory at once. Otherwise whole images accumulate until the next garbage collection.
        if (field !== undefined) (bytes as Transferable).transfer?.(0);
      }
    }
  }
}

async function readBytes(content: BlobLike, start: number, end: number) {
  try {
    return await content.slice(start, end).arrayBuffer();
  } catch {
    // The file was changed, or the page is closed.
    return undefined;
  }
}

function unreadableIssue(field = "input"): InputIssue {
  // A page that is closed cannot load the texts of issues.
  const message = `${field} could not be read.`;
  const hint = "It may have been changed, removed or read before.";
  return { field, message, code: "unreadable", severity: "error", hint };
}

type Transferable = Partial<Pick<ArrayBuffer, "transfer">>;

interface FixedLength {
  readonly FixedLengthStream?: new (length: number) => ReadableWritablePair<Uint8Array, Uint8Array>;
}

function streamInit(stream: ReadableStream<Uint8Array>, length: number): RequestInit {
  const { FixedLengthStream } = globalThis as FixedLength;
  // Without `omit`, some releases of Node 24 and 25 fail the connection at a 401 to a stream. Those workers reject `omit`.
  const init: RequestInit & { duplex: "half" } =
    FixedLengthStream === undefined
      ? { body: stream, duplex: "half", credentials: "omit" }
      : { body: stream.pipeThrough(new FixedLengthStream(length)), duplex: "half" };
  return init;
}

interface Native {
  readonly Buffer?: { from(buffer: ArrayBuffer): { toString(encoding: "base64"): string } };
}

/** Encodes a whole buffer as base64, in new memory, since a `fetch` may keep it. `btoa` takes eight times longer than the others. */
export function encodeBase64(
  bytes: Uint8Array<ArrayBuffer> & { toBase64?(): string },
): Uint8Array<ArrayBuffer> {
  const { Buffer } = globalThis as Native;
  let text =
    bytes.toBase64?.() ?? (isPage ? undefined : Buffer?.from(bytes.buffer).toString("base64"));
  if (text === undefined) {
    text = "";
    for (let start = 0; start < bytes.length; start += btoaLength) {
      text += btoa(String.fromCharCode(...bytes.subarray(start, start + btoaLength)));
    }
  }
  return new TextEncoder().encode(text);
}
