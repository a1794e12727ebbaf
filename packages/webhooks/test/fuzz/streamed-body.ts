import { Readable } from "node:stream";

import type { Choices } from "./choices.ts";
import type { Input } from "./forms.ts";

const url = "https://shop.example";

/** Cuts bytes into up to eight chunks, some of them empty, or into single bytes. */
function chunksOf(bytes: Buffer, choices: Choices): Uint8Array[] {
  const cuts = choices.oneIn(8)
    ? Array.from(bytes.keys())
    : Array.from({ length: choices.below(8) }, () => choices.below(bytes.length + 1));
  const ends = [...cuts.toSorted((one, other) => one - other), bytes.length];
  return ends.map((end, index) => new Uint8Array(bytes.subarray(ends[index - 1] ?? 0, end)));
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
  return new Request(url, init);
}

/** Removes empty chunks, after which a Node stream waits forever. */
function* withoutEmpty(chunks: Iterable<unknown>): Generator {
  for (const chunk of chunks) if (!(chunk instanceof Uint8Array) || chunk.length > 0) yield chunk;
}

function readableOf(all: Iterable<unknown>): Readable {
  const chunks = withoutEmpty(all);
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

function* aborted(chunks: readonly Uint8Array[]): Generator {
  yield* chunks.slice(0, -1);
  throw new Error("aborted");
}

function* asText(bytes: Buffer): Generator {
  yield bytes.subarray(0, 9);
  yield `${bytes.toString("latin1", 9)} `;
}

/** A plain iterator, as a framework may have one. */
function iterable(chunks: Iterator<unknown>): object {
  const iterator = { next: () => chunks.next() };
  return { headers: {}, [Symbol.asyncIterator]: () => iterator };
}

function post(body: BodyInit): Request {
  return new Request(url, { method: "POST", body });
}

/** An unread body in chunks. */
export function streamedBody(bytes: Buffer, choices: Choices): Input<Buffer> {
  const chunks = chunksOf(bytes, choices);
  const value = choices.pick<() => unknown>([
    () => requestOf(chunks.values()),
    () => readableOf(chunks),
    () => iterable(chunks.values()),
    () => post(new Uint8Array(bytes)),
    () => post(new Blob(chunks.map((chunk) => chunk.slice()))),
    () => post(new Uint8Array(bytes)).clone(),
    () => new Response(new Uint8Array(bytes)),
  ])();
  return { value, content: bytes };
}

/** A body that was read, is read elsewhere, is aborted or has text chunks. */
export function unreadableBody(bytes: Buffer, choices: Choices): Input<undefined> {
  const chunks = chunksOf(Buffer.concat([bytes, Buffer.from(" ")]), choices);
  const whole = post(`${bytes.toString("latin1")} `);
  const readable = readableOf(chunks);
  const value = choices.pick<() => unknown>([
    () => requestOf(aborted(chunks)),
    () => readableOf(aborted(chunks)),
    () => iterable(aborted(chunks)),
    () => requestOf(asText(bytes)),
    () => iterable(asText(bytes)),
    () => readable.setEncoding("utf8"),
    () => readable.destroy(),
    () => {
      void whole.text();
      return whole;
    },
    () => {
      void whole.body?.getReader().read();
      return whole;
    },
    () => {
      readable.read();
      return readable;
    },
  ])();
  return { value, content: undefined };
}
