import { ReadableStream } from "node:stream/web";

import type { Choices } from "./choices.ts";

/** Name of a header and its values, without `null` and `undefined`. */
export type Header = readonly [name: string, values: readonly unknown[]];

/** A value of an option, and the content that verification must read from it. */
export interface Input<Content> {
  readonly value: unknown;
  readonly content: Content;
}

export function throwHostile(): never {
  throw new Error("hostile");
}

/** Creates an object of which every use throws. */
export function hostile(): object {
  return new Proxy(
    {},
    Object.fromEntries(Reflect.ownKeys(Reflect).map((trap) => [trap, throwHostile])),
  );
}

/** Values of other types. Most become this text if they are converted to a string. */
const otherTypes: ReadonlyArray<(text: string) => unknown> = [
  (text) => ({ toString: () => text }),
  (text) => ({ [Symbol.toPrimitive]: () => text }),
  // A `String` object.
  (text) => Object(text) as unknown,
  (text) => [text],
  (text) => Buffer.from(text),
  (text) => new Proxy(Object(text) as object, {}),
  (text) => Object.assign(Object.create(null) as object, Array.from(text)),
  () => 0,
  () => 64n,
  () => true,
  (text) => Symbol(text),
  (text) => () => text,
  (text) => Promise.resolve(text),
  () => new Proxy({}, { get: throwHostile }),
];

export function otherType(text: string, choices: Choices): unknown {
  return choices.pick(otherTypes)(text);
}

function inSomeCase(name: string, choices: Choices): string {
  const middle = choices.below(name.length);
  return choices.pick([
    name,
    name.toUpperCase(),
    name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()),
    name.slice(0, middle) + name.slice(middle).toUpperCase(),
  ]);
}

/** One pair for each value, among pairs of other names. */
function pairsOf(headers: readonly Header[], choices: Choices): Array<[string, unknown]> {
  const pairs: Array<[string, unknown]> = [["content-type", "application/json"]];
  for (const [name, values] of headers) {
    // A header may have an array of values: an array within it is one value.
    for (const value of values) {
      pairs.push([inSomeCase(name, choices), Array.isArray(value) ? [value] : value]);
    }
    if (choices.oneIn(8)) pairs.push([name, choices.oneIn(2) ? undefined : []]);
    if (choices.oneIn(8)) pairs.push([`${name}-2`, "other"], [`${name} `, "other"]);
    if (choices.oneIn(8)) pairs.push([name.replace("s", "\u017f"), "other"]);
  }
  return pairs;
}

function recordOf(headers: readonly Header[], choices: Choices): Record<string, unknown> {
  const record: Record<string, unknown> = { host: "shop.example" };
  for (const [name, values] of headers) {
    const [first] = values;
    const single = values.length === 1 && !Array.isArray(first) && choices.oneIn(2);
    if (values.length > 0) record[inSomeCase(name, choices)] = single ? first : [...values, null];
    else if (choices.oneIn(4)) record[inSomeCase(name, choices)] = undefined;
  }
  return record;
}

/** Joins several values as Node and `Headers` do, if all are strings. */
function joinValues(headers: readonly Header[]): Array<[string, string[]]> | undefined {
  const joined: Array<[string, string[]]> = [];
  for (const [name, values] of headers) {
    if (!values.every((value) => typeof value === "string")) return undefined;
    joined.push([name, values.length > 0 ? [values.join(", ")] : []]);
  }
  return joined;
}

/** Creates a `Headers`, if it keeps these values unchanged. */
function headersObject(headers: readonly Header[]): Input<readonly Header[]> | undefined {
  const content = joinValues(headers);
  const value = new Headers();
  try {
    for (const [name, [line]] of content ?? []) {
      if (line !== undefined) value.set(name, line);
      if ((value.get(name) ?? undefined) !== line) return undefined;
    }
  } catch {
    return undefined;
  }
  return content && { value, content };
}

export function headersInput(
  headers: readonly Header[],
  choices: Choices,
): Input<readonly Header[]> {
  const record = { value: recordOf(headers, choices), content: headers };
  return choices.pick<() => Input<readonly Header[]>>([
    () => record,
    () => ({ value: Object.assign(Object.create(null), record.value), content: headers }),
    () => ({ value: pairsOf(headers, choices), content: headers }),
    () => ({ value: new Set(pairsOf(headers, choices)), content: headers }),
    () => ({ value: pairsOf(headers, choices).values(), content: headers }),
    () => headersObject(headers) ?? record,
    () => {
      const content = joinValues(headers);
      return content === undefined ? record : { value: recordOf(content, choices), content };
    },
  ])();
}

/** Values without readable headers. Another test rejects any value as headers. */
export function invalidHeaders(
  headers: readonly Header[],
  choices: Choices,
): Input<readonly Header[]> {
  const pairs = pairsOf(headers, choices);
  const value = choices.pick<() => unknown>([
    () => undefined,
    () => hostile(),
    () => [...pairs, null],
    () => [...pairs, hostile()],
    () => [[Symbol("odd"), "x"]],
    () => ({
      *[Symbol.iterator]() {
        yield* pairs;
        throwHostile();
      },
    }),
    () => new Proxy(Object.fromEntries(pairs), { get: throwHostile }),
    () => new Proxy(Object.fromEntries(pairs), { ownKeys: throwHostile, has: throwHostile }),
  ])();
  return { value, content: [] };
}

export function bufferedBody(bytes: Buffer, choices: Choices): Input<Buffer> {
  const copy = new Uint8Array(bytes);
  const longer = new Uint8Array(bytes.length + 24).fill(0x7b);
  longer.set(bytes, 8);
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  const text = bytes.toString();
  const textOrBytes = Buffer.from(text).equals(bytes) ? text : copy;
  const value = choices.pick<unknown>([
    bytes,
    copy,
    copy.buffer,
    new DataView(longer.buffer, 8, bytes.length),
    longer.subarray(8, 8 + bytes.length),
    bytes.length % 2 === 0 ? new Uint16Array(copy.buffer) : new Int8Array(copy.buffer),
    bytes.length % 8 === 0 ? new BigInt64Array(copy.buffer) : new Uint8ClampedArray(copy.buffer),
    shared,
    textOrBytes,
    { headers: {}, body: copy },
    readRequest({ rawBody: copy, body: { parsed: true } }),
    readRequest({ rawBody: textOrBytes, body: {} }),
  ]);
  return { value, content: bytes };
}

/** A Node request that was read, with the fields of a framework. */
function readRequest(fields: object): object {
  return { headers: {}, readableDidRead: true, [Symbol.asyncIterator]: throwHostile, ...fields };
}

/** Values that hold no bytes. Another test rejects any value as a body. */
export function invalidBody(bytes: Buffer, choices: Choices): Input<undefined> {
  const detached = new Uint8Array(bytes);
  detached.buffer.transfer();
  const value = choices.pick<() => unknown>([
    () => undefined,
    () => ({ event: "tryon.completed", job_id: "job_1", status: "succeeded" }),
    () => ({ headers: {}, body: { event: "tryon.completed" } }),
    () => readRequest({ rawBody: {}, body: [] }),
    () => ({ headers: {}, rawBody: bytes.toString(), body: {} }),
    () => ({ type: "Buffer", data: [...bytes.subarray(0, 4)] }),
    () => ({ byteLength: bytes.length, buffer: bytes.buffer, byteOffset: 0 }),
    () => hostile(),
    () => detached,
    () => detached.buffer,
    () => Promise.resolve(bytes),
  ])();
  return { value, content: undefined };
}

/** Cuts bytes into up to eight chunks, some of them empty, or into single bytes. */
function chunksOf(bytes: Buffer, choices: Choices): Uint8Array[] {
  const cuts = choices.oneIn(8)
    ? Array.from(bytes.keys())
    : Array.from({ length: choices.below(8) }, () => choices.below(bytes.length + 1));
  const ends = [...cuts.toSorted((one, other) => one - other), bytes.length];
  return ends.map((end, index) => new Uint8Array(bytes.subarray(ends[index - 1] ?? 0, end)));
}

/** An unread `Request` or Node request, or sometimes, with `mayAbort`, one that ends too early. */
export function streamedBody(
  bytes: Buffer,
  mayAbort: boolean,
  choices: Choices,
): Input<Buffer | undefined> {
  const aborted = mayAbort && choices.oneIn(6);
  const chunks = chunksOf(bytes, choices);
  const stream = async function* () {
    yield* chunks;
    if (aborted) throwHostile();
  };
  // The streams of Node and of browsers have other types.
  const init: object = { method: "POST", body: ReadableStream.from(stream()), duplex: "half" };
  const value = choices.oneIn(2)
    ? new Request("https://shop.example", init)
    : { headers: {}, [Symbol.asyncIterator]: stream };
  return { value, content: aborted ? undefined : bytes };
}
