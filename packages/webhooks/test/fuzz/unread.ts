import { Readable } from "node:stream";

import type { Handed } from "./forms.ts";
import type { Random } from "./random.ts";

const address = "https://shop.example";

/** Cuts bytes anywhere, also in the middle of letters, and also into pieces without a byte. */
function pieces(bytes: Buffer, random: Random): Uint8Array[] {
  const cut: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = random.pick([0, 1, 1 + random.below(4), 1 + random.below(200), bytes.length]);
    cut.push(new Uint8Array(bytes.subarray(at, at + length)));
    at += length;
  }
  return cut;
}

function requestOf(chunks: Iterator<unknown>): Request {
  const body = new ReadableStream({
    pull(controller) {
      const { done, value } = chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  });
  const init = { method: "POST", body, duplex: "half" };
  return new Request(address, init);
}

/** A stream of Node, which waits for ever after a piece without a byte: it gets none. */
function readableOf(all: Iterable<unknown>): Readable {
  const chunks = withBytes(all);
  const readable = new Readable({
    read() {
      try {
        const { done, value } = chunks.next();
        this.push(done === true ? null : value);
      } catch (error) {
        this.destroy(error instanceof Error ? error : undefined);
      }
    },
  });
  return Object.assign(readable, { headers: {} });
}

function* withBytes(chunks: Iterable<unknown>): Generator {
  for (const chunk of chunks) if (!(chunk instanceof Uint8Array) || chunk.length > 0) yield chunk;
}

function* breakingOff(chunks: readonly Uint8Array[]): Generator {
  yield* chunks.slice(0, -1);
  throw new Error("broke off");
}

function* asText(bytes: Buffer): Generator {
  yield bytes.subarray(0, 9);
  yield `${bytes.toString("latin1", 9)} `;
}

/** An iterator that is no stream of anybody's, as a framework may have one. */
function iterable(chunks: Iterator<unknown>): object {
  const iterator = { next: () => chunks.next() };
  return { headers: {}, [Symbol.asyncIterator]: () => iterator };
}

/** Bytes that are still to be read, cut in some way. */
function unreadWhole(bytes: Buffer, random: Random): Handed<Buffer> {
  const chunks = () => pieces(bytes, random).values();
  const value = random.pick<() => unknown>([
    () => requestOf(chunks()),
    () => requestOf(chunks()),
    () => readableOf(chunks()),
    () => readableOf(chunks()),
    () => iterable(chunks()),
    () => new Request(address, { method: "POST", body: new Uint8Array(bytes) }),
    () =>
      new Request(address, {
        method: "POST",
        body: new Blob(pieces(bytes, random).map((piece) => piece.slice())),
      }),
    () => new Response(new Uint8Array(bytes)),
    () => new Request(address, { method: "POST", body: new Uint8Array(bytes) }).clone(),
  ])();
  return { value, content: bytes };
}

async function begun(request: Request): Promise<void> {
  await request.body?.getReader().read();
}

/** What was read before, is being read by somebody else, breaks off, or gives text. */
function unreadBroken(bytes: Buffer, random: Random): Handed<undefined> {
  const cut = pieces(Buffer.concat([bytes, Buffer.from(" ")]), random);
  const whole = () =>
    new Request(address, { method: "POST", body: bytes.toString("latin1") + " " });
  const value = random.pick<() => unknown>([
    () => requestOf(breakingOff(cut)),
    () => readableOf(breakingOff(cut)),
    () => iterable(breakingOff(cut)),
    () => requestOf(asText(bytes)),
    () => iterable(asText(bytes)),
    () => readableOf(cut.values()).setEncoding("utf8"),
    () => readableOf(cut.values()).destroy(),
    () => {
      const request = whole();
      void request.text();
      return request;
    },
    () => {
      const request = whole();
      void begun(request);
      return request;
    },
    () => {
      const readable = readableOf(cut.values());
      readable.read();
      return readable;
    },
  ])();
  return { value, content: undefined };
}

/** Bytes that are still to be read; now and then, where that is allowed, they cannot be. */
export function unread(bytes: Buffer, random: Random, whole: boolean): Handed<Buffer | undefined> {
  return whole || !random.oneIn(6) ? unreadWhole(bytes, random) : unreadBroken(bytes, random);
}
