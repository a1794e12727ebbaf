import { isBrowser } from "../config/resolve-config.ts";
import { InputError } from "../errors/refusal-errors.ts";
import { inputIssue } from "../errors/input-issue.ts";
import type { BodySource, SubmissionBody } from "../http/http-request.ts";
import { encodeBase64 } from "../images/encode-base64.ts";
import { blobLike, type BlobLike } from "../images/image-source.ts";
import type { ReadImage, ReadInput } from "./read-input.ts";

/** Number of bytes that are read and sent at once: a multiple of 3, so that their base64 has no padding. */
const chunkSize = 96 * 1_024;
/** Maximum size of a body that is sent as one string, in bytes. */
const maxStringBody = 128 * 1_024;

/** Part of a body: text, or an image that is sent as base64. */
interface Part {
  readonly content: BlobLike;
  /** Field of the image. */
  readonly field?: string;
}

/** Creates the body of a submission: the fields, then the images. */
export function submissionBody(input: ReadInput, wait: boolean): SubmissionBody {
  const { fields, person, garments } = input;
  const parts: Part[] = [];
  const encoder = new TextEncoder();
  let text = fields.replace(/\}$/, `${fields === "{}" ? "" : ","}"wait":${wait}`);
  const add = (before: string, { content, field }: ReadImage): void => {
    text += before;
    if (typeof content === "string") {
      text += JSON.stringify(content);
    } else {
      parts.push({ content: blobLike(encoder.encode(`${text}"`)) }, { content, field });
      text = '"';
    }
  };
  for (const image of person) add(',"person_image_b64":', image);
  for (const [index, image] of garments.entries()) {
    add(index === 0 ? ',"garment_images_b64":[' : ",", image);
  }
  text += garments.length > 0 ? "]}" : "}";
  if (parts.length === 0 && text.length <= maxStringBody) return text;
  return new ImageBody([...parts, { content: blobLike(encoder.encode(text)) }]);
}

/** Body whose images each attempt reads and encodes in chunks, so that it is never in memory as a whole. */
class ImageBody implements BodySource {
  length = 0;
  unreadable: InputError | undefined;
  readonly #parts: readonly Part[];

  constructor(parts: readonly Part[]) {
    this.#parts = parts;
    for (const { content, field } of parts) {
      this.length += field ? Math.ceil(content.size / 3) * 4 : content.size;
    }
  }

  async open(
    headers: Record<string, string>,
    onRead: (isEnd: boolean) => void,
  ): Promise<RequestInit> {
    this.unreadable = undefined;
    const chunks = this.#chunks();
    if (this.length > maxStringBody && canStream()) {
      const stream = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const { done, value } = await chunks.next();
          onRead(done === true);
          if (done) controller.close();
          else controller.enqueue(value);
        },
      });
      headers["Content-Length"] = String(this.length);
      return streamInit(stream, this.length);
    }
    const blobs: Blob[] = [];
    for await (const chunk of chunks) blobs.push(new Blob([chunk]));
    const body = new Blob(blobs);
    return { body: body.size > maxStringBody ? body : await body.text() };
  }

  /** Reads the body. Each chunk is new memory, since a `fetch` may keep it. */
  async *#chunks(): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
    for (const { content, field } of this.#parts) {
      const { size } = content;
      for (let start = 0; start < size; start += chunkSize) {
        const end = Math.min(start + chunkSize, size);
        const bytes = await content
          .slice(start, end)
          .arrayBuffer()
          .catch(() => undefined);
        if (bytes?.byteLength !== end - start) {
          throw (this.unreadable = new InputError([inputIssue("unreadable", field ?? "input")]));
        }
        const chunk = new Uint8Array(bytes);
        yield field === undefined ? chunk : encodeBase64(chunk);
        // Frees the memory at once. Otherwise whole images accumulate until the next garbage collection.
        if (field !== undefined) (bytes as Transferable).transfer?.(0);
      }
    }
  }
}

/** Memory that newer runtimes can free. */
type Transferable = Partial<Pick<ArrayBuffer, "transfer">>;

/** Stream of Cloudflare Workers, which send the length of a body only for this class. */
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

/** Returns true if `fetch` sends streams. Browsers do over HTTP/2 only. Old implementations send "[object ReadableStream]". */
function canStream(): boolean {
  if (isBrowser()) return false;
  try {
    const init = streamInit(new ReadableStream(), 0);
    const { headers } = new Request("https://localhost", { ...init, method: "POST" });
    return !headers.has("content-type");
  } catch {
    return false;
  }
}
