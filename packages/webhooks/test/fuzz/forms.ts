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
function hostile(): object {
  return new Proxy(
    {},
    Object.fromEntries(Reflect.ownKeys(Reflect).map((trap) => [trap, throwHostile])),
  );
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

/** Headers in one of the accepted forms. */
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

/** Values without readable headers: other types, and iterators and properties that throw. */
export function invalidHeaders(
  headers: readonly Header[],
  choices: Choices,
): Input<readonly Header[]> {
  const pairs = pairsOf(headers, choices);
  const value = choices.pick<() => unknown>([
    () => undefined,
    () => null,
    () => 42,
    () => "x-service-signature: sha256=",
    () => ({}),
    () => [],
    () => hostile(),
    () => [...pairs, null],
    () => [...pairs, hostile()],
    () => [[Symbol("odd"), "x"]],
    () => [[hostile(), "x"]],
    () => ({ [Symbol.iterator]: throwHostile }),
    () => ({
      *[Symbol.iterator]() {
        yield* pairs;
        throwHostile();
      },
    }),
    () => Object.defineProperty({}, "x-service-signature", { get: throwHostile, enumerable: true }),
    () => new Proxy(Object.fromEntries(pairs), { get: throwHostile }),
    () => new Proxy(Object.fromEntries(pairs), { ownKeys: throwHostile, has: throwHostile }),
    () => () => pairs,
  ])();
  return { value, content: [] };
}

/** Bytes in memory, in one of the accepted forms. */
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

/** Values that hold no bytes: parsed bodies, read requests, detached buffers and other types. */
export function invalidBody(bytes: Buffer, choices: Choices): Input<undefined> {
  const detached = new Uint8Array(bytes);
  detached.buffer.transfer();
  const value = choices.pick<() => unknown>([
    () => undefined,
    () => null,
    () => 42,
    () => Symbol("odd"),
    () => ({}),
    () => [...bytes.subarray(0, 4)],
    () => ({ event: "tryon.completed", job_id: "job_1", status: "succeeded" }),
    () => ({ headers: {}, body: { event: "tryon.completed" } }),
    () => ({ headers: {}, body: "text" }),
    () => readRequest({ rawBody: {}, body: [] }),
    () => readRequest({ body: {} }),
    () => ({ headers: {}, rawBody: bytes.toString(), body: {} }),
    () => ({ type: "Buffer", data: [...bytes.subarray(0, 4)] }),
    () => ({ bodyUsed: true, body: null }),
    () => hostile(),
    () => throwHostile,
    () => detached,
    () => detached.buffer,
    () => new URLSearchParams("event=tryon.completed"),
    () => Object.create(null) as unknown,
    () => ({ byteLength: bytes.length, buffer: bytes.buffer, byteOffset: 0 }),
    () => ({ [Symbol.toStringTag]: "Uint8Array", length: 4 }),
    () => Promise.resolve(bytes),
  ])();
  return { value, content: undefined };
}
