import { InputError } from "../errors/input-error.ts";
import { isBrowser } from "../config/check-environment.ts";
import { encodeBase64 } from "../images/base64.ts";
import type { ImageBytes } from "../images/image-input.ts";
import { notesTo, type InputIssue } from "../jobs/input-issue.ts";
import type { ReadImage, ReadInput } from "../jobs/validate.ts";

/** Body of a submission, which every attempt sends anew: text, or a stream of text and images. */
export type SubmissionBody = string | ImageBody;

/** Size of an encoded chunk in bytes: a multiple of 3, so that chunks join without padding. */
const pieceLength = 192 * 1_024;
/** Maximum size of a body that is sent as one string, in bytes. */
const maxStringBody = 128 * 1_024;

/** Part of a body: text, or an image that is encoded as base64. */
interface Part {
  readonly blob: ImageBytes;
  /** Name of the field of an image. */
  readonly field?: string;
}

/** Creates the body of a submission: the fields, then the images, which are read while they are sent. */
export function freezeBody(input: ReadInput, wait: boolean): SubmissionBody {
  const { fields, person, garments } = input;
  const parts: Part[] = [];
  let text = fields.replace(/\}$/, `${fields === "{}" ? "" : ","}"wait":${wait}`);
  const add = (before: string, { content, field }: ReadImage): void => {
    text += before;
    if (typeof content === "string") {
      text += JSON.stringify(content);
    } else {
      parts.push({ blob: new Blob([`${text}"`]) }, { blob: content, field });
      text = '"';
    }
  };
  for (const photo of person) add(',"person_image_b64":', photo);
  for (const [index, garment] of garments.entries()) {
    add(index === 0 ? ',"garment_images_b64":[' : ",", garment);
  }
  text += garments.length > 0 ? "]}" : "}";
  if (parts.length === 0 && text.length <= maxStringBody) return text;
  return new ImageBody([...parts, { blob: new Blob([text]) }]);
}

/** Body that is never whole in memory: each attempt reads and encodes the images chunk by chunk. */
class ImageBody {
  /** Exact size in bytes. */
  length = 0;
  /** Set if an image cannot be read, since its file was changed or removed. */
  unreadable: InputError | undefined;
  readonly #parts: readonly Part[];

  constructor(parts: readonly Part[]) {
    this.#parts = parts;
    for (const { blob, field } of parts) {
      this.length += field ? Math.ceil(blob.size / 3) * 4 : blob.size;
    }
  }

  /**
   * The part of a request's init that sends it; sets its length among the headers where that is not done by itself.
   *
   * @param onTaken - Called before each piece of a stream is handed out, and with true after the last. Throws to end it.
   */
  async open(
    headers: Record<string, string>,
    onTaken: (last: boolean) => void,
  ): Promise<RequestInit> {
    this.unreadable = undefined;
    const pieces = this.#pieces();
    if (this.length > maxStringBody && canStream()) {
      const stream = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const { done, value } = await pieces.next();
          onTaken(done === true);
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: () => void pieces.return(),
      });
      headers["Content-Length"] = String(this.length);
      return streamInit(stream, this.length);
    }
    const blobs: Blob[] = [];
    for await (const piece of pieces) blobs.push(new Blob([piece]));
    const body = new Blob(blobs);
    return { body: body.size > maxStringBody ? body : await body.text() };
  }

  /** What is sent, piece by piece. Each piece is memory of its own, since a `fetch` may keep them all. */
  async *#pieces(): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
    for (const { blob, field } of this.#parts) {
      let left = blob.size;
      // Fewer than 3 bytes wait for the next ones, so that pieces join without padding.
      let rest = new Uint8Array();
      const reader = blob.stream().getReader();
      try {
        while (left > 0) {
          const { done, value } = await reader.read();
          // A file that has become longer is no more the image than one that has become shorter.
          if (done || value.length > left) break;
          left -= value.length;
          if (field === undefined) {
            yield value;
            continue;
          }
          const bytes = rest.length > 0 ? join(rest, value) : value;
          const whole = left > 0 ? bytes.length - (bytes.length % 3) : bytes.length;
          rest = bytes.slice(whole);
          if (bytes !== value) giveBack(value);
          for (let start = 0; start < whole; start += pieceLength) {
            yield encodeBase64(bytes.subarray(start, Math.min(start + pieceLength, whole)));
          }
          giveBack(bytes);
        }
      } catch {
        left = -1;
      } finally {
        reader.cancel().catch(() => undefined);
      }
      if (left !== 0) {
        const issues: InputIssue[] = [];
        notesTo(issues)("unreadable", field ?? "input");
        throw (this.unreadable = new InputError(issues));
      }
    }
  }
}

function join(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}

/** Gives memory back at once where that can be done: waiting to be collected it would come to whole images. */
function giveBack({ buffer }: Uint8Array<ArrayBuffer>): void {
  (buffer as Partial<Pick<ArrayBuffer, "transfer">>).transfer?.(0);
}

/** What only some runtimes have: workers at Cloudflare know the length of a stream by its kind alone. */
interface Lengths {
  readonly FixedLengthStream?: new (length: number) => ReadableWritablePair<Uint8Array, Uint8Array>;
}

function streamInit(stream: ReadableStream<Uint8Array>, length: number): RequestInit {
  const { FixedLengthStream } = globalThis as Lengths;
  // Without `omit`, some releases of Node 24 and 25 turn a 401 for a stream into a failed connection; those workers
  // refuse the field.
  const init: RequestInit & { duplex: "half" } =
    FixedLengthStream === undefined
      ? { body: stream, duplex: "half", credentials: "omit" }
      : { body: stream.pipeThrough(new FixedLengthStream(length)), duplex: "half" };
  return init;
}

/** Whether `fetch` takes a stream. Browsers do over HTTP/2 only, and old implementations write "[object ReadableStream]". */
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
