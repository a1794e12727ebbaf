import type { Readable } from "node:stream";

const maxPathLength = 200;
/** Path of a file by the extension of an image. A URL has a query or a scheme, and neither is part of the pattern. */
const imagePath = /^[^:?#@]+\.(jpe?g|png|webp|avif|heic|gif)$/i;

/** Returns the bytes of a file that multer keeps in memory, or a web stream of a stream of Node. Throws if that was read before. */
export function nodeImage(input: unknown): Uint8Array | ReadableStream<Uint8Array> | undefined {
  const { buffer, pipe } = Object(input) as { buffer?: unknown; pipe?: unknown };
  // A buffer has any class of views.
  if (ArrayBuffer.isView(buffer)) return buffer as Uint8Array;
  if (typeof pipe !== "function") return undefined;
  const stream = input as Readable;
  // The rest of a stream is another image.
  if (stream.readableDidRead) throw new Error("The stream was read before.");
  // Without a listener, an error before the stream is read ends the process. The reader gets it, too.
  stream.on("error", () => undefined);
  // Reads only on demand: `validate` must leave the stream as it is.
  return webStream(stream, { highWaterMark: 0 });
}

export function webStream(
  stream: Readable,
  strategy?: QueuingStrategy<Uint8Array>,
): ReadableStream<Uint8Array> {
  const chunks = stream[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value as Uint8Array);
      },
      cancel() {
        stream.destroy();
      },
    },
    strategy,
  );
}

export function describePath(source: unknown): string {
  const { code, path = source } = Object(source) as { code?: string; path?: unknown };
  if (typeof path !== "string" || path.length > maxPathLength) return "";
  if (path === source && !imagePath.test(path)) return "";
  const quoted = JSON.stringify(path);
  return code === undefined ? ` but the path ${quoted}` : ` (${code} ${quoted})`;
}
