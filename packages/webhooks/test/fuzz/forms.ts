import type { Random } from "./random.ts";

/** A header's name and its values, none of which is nothing. */
export type Header = readonly [name: string, values: readonly unknown[]];

/** Something to hand over, and what is in it as the other side has to see it. */
export interface Handed<Content> {
  readonly value: unknown;
  readonly content: Content;
}

function fail(): never {
  throw new Error("hostile");
}

/** Throws at whatever is done with it. */
function hostile(): object {
  return new Proxy({}, Object.fromEntries(Reflect.ownKeys(Reflect).map((trap) => [trap, fail])));
}

/** A header's name in capitals, half in capitals, or as it is. */
function cased(name: string, random: Random): string {
  const way = random.below(4);
  if (way === 0) return name.toUpperCase();
  if (way === 1) return name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
  const middle = random.below(name.length);
  return way === 2 ? name : name.slice(0, middle) + name.slice(middle).toUpperCase();
}

/** One pair for each value, among pairs that have nothing to do with it. */
function pairsOf(headers: readonly Header[], random: Random): Array<[string, unknown]> {
  const pairs: Array<[string, unknown]> = [["content-type", "application/json"]];
  for (const [name, values] of headers) {
    // A list is what a header may have as its value: one within it is a value.
    for (const one of values) pairs.push([cased(name, random), Array.isArray(one) ? [one] : one]);
    if (random.oneIn(8)) pairs.push([name, random.oneIn(2) ? undefined : []]);
    if (random.oneIn(8)) pairs.push([`${name}-2`, "other"], [`${name} `, "other"]);
    if (random.oneIn(8)) pairs.push([name.replace("s", "\u017f"), "other"]);
  }
  return pairs;
}

function recordOf(headers: readonly Header[], random: Random): Record<string, unknown> {
  const record: Record<string, unknown> = { host: "shop.example" };
  for (const [name, values] of headers) {
    const [first] = values;
    const bare = values.length === 1 && !Array.isArray(first) && random.oneIn(2);
    if (values.length > 0) record[cased(name, random)] = bare ? first : [...values, undefined];
    else if (random.oneIn(4)) record[cased(name, random)] = undefined;
  }
  return record;
}

/** Joined as Node and `Headers` join what came in several lines, if all of it is text. */
function joined(headers: readonly Header[]): Array<[string, string[]]> | undefined {
  const lines: Array<[string, string[]]> = [];
  for (const [name, values] of headers) {
    if (!values.every((value) => typeof value === "string")) return undefined;
    lines.push([name, values.length > 0 ? [values.join(", ")] : []]);
  }
  return lines;
}

/** A `Headers`, if it holds these values as they are. */
function asHeaders(headers: readonly Header[]): Handed<readonly Header[]> | undefined {
  const content = joined(headers);
  if (content === undefined) return undefined;
  const value = new Headers();
  try {
    for (const [name, [line]] of content) if (line !== undefined) value.set(name, line);
  } catch {
    return undefined;
  }
  const kept = content.every(([name, [line]]) => (value.get(name) ?? undefined) === line);
  return kept ? { value, content } : undefined;
}

/** Headers in one of the forms that they may have. */
export function headersAs(headers: readonly Header[], random: Random): Handed<readonly Header[]> {
  const way = random.below(9);
  if (way === 8) return { value: pairsOf(headers, random).values(), content: headers };
  if (way === 0) return { value: pairsOf(headers, random), content: headers };
  if (way < 3) return { value: new Set(pairsOf(headers, random)), content: headers };
  if (way === 3) {
    const value = Object.freeze(Object.assign(Object.create(null), recordOf(headers, random)));
    return { value, content: headers };
  }
  if (way < 6) {
    const fitting = asHeaders(headers);
    if (fitting !== undefined) return fitting;
  }
  if (way === 6) {
    const content = joined(headers);
    if (content !== undefined) return { value: recordOf(content, random), content };
  }
  return { value: recordOf(headers, random), content: headers };
}

/** What are no headers at all, or break off before the last. */
export function brokenHeaders(
  headers: readonly Header[],
  random: Random,
): Handed<readonly Header[]> {
  const pairs = pairsOf(headers, random);
  const value = random.pick<() => unknown>([
    () => undefined,
    () => null,
    () => 42,
    () => "x-service-signature: sha256=",
    () => ({}),
    () => [],
    () => hostile(),
    () => [...pairs, null],
    () => [...pairs, undefined],
    () => [...pairs, hostile()],
    () => [
      [Symbol("odd"), "x"],
      [hostile(), "x"],
    ],
    () => ({ [Symbol.iterator]: fail }),
    () => ({ [Symbol.iterator]: () => ({ next: () => fail() }) }),
    () => ({
      *[Symbol.iterator]() {
        yield* pairs;
        fail();
      },
    }),
    () => Object.defineProperty({}, "x-service-signature", { get: fail, enumerable: true }),
    () => new Proxy(Object.fromEntries(pairs), { get: fail }),
    () => new Proxy(Object.fromEntries(pairs), { ownKeys: fail, has: fail }),
    () => () => pairs,
  ])();
  return { value, content: [] };
}

/** Bytes in one of the forms that they may have in memory. */
export function bytesAs(bytes: Buffer, random: Random): unknown {
  const copy = new Uint8Array(bytes);
  const longer = new Uint8Array(bytes.length + 24).fill(0x7b);
  longer.set(bytes, 8);
  const even = bytes.length % 2 === 0;
  const text = bytes.toString();
  return random.pick<() => unknown>([
    () => bytes,
    () => copy,
    () => copy.buffer,
    () => new DataView(longer.buffer, 8, bytes.length),
    () => longer.subarray(8, 8 + bytes.length),
    () => (even ? new Uint16Array(copy.buffer) : new Int8Array(copy.buffer)),
    () =>
      bytes.length % 8 === 0 ? new BigInt64Array(copy.buffer) : new Uint8ClampedArray(copy.buffer),
    () => shared(bytes),
    () => (Buffer.from(text).equals(bytes) ? text : copy),
    () => ({ headers: {}, body: copy }),
    () => readRequest({ rawBody: copy, body: { parsed: true } }),
    () => readRequest({ rawBody: Buffer.from(text).equals(bytes) ? text : copy, body: {} }),
  ])();
}

/** A request of Node that was read, with what a framework has kept on it. */
function readRequest(fields: object): object {
  return { headers: {}, readableDidRead: true, [Symbol.asyncIterator]: fail, ...fields };
}

function shared(bytes: Buffer): Uint8Array {
  const view = new Uint8Array(new SharedArrayBuffer(bytes.length));
  view.set(bytes);
  return view;
}

/** Bytes whose memory has gone elsewhere. */
function detached(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const view = new Uint8Array(bytes);
  view.buffer.transfer();
  return view;
}

/** What holds no bytes: parsed, read before, gone, or never there. */
export function noBytes(bytes: Buffer, random: Random): unknown {
  return random.pick<() => unknown>([
    () => undefined,
    () => null,
    () => 42,
    () => true,
    () => Symbol("odd"),
    () => ({}),
    () => [...bytes.subarray(0, 4)],
    () => ({ event: "tryon.completed", job_id: "job_1", status: "succeeded" }),
    () => ({ headers: {}, body: { event: "tryon.completed" } }),
    () => ({ headers: {}, body: "text" }),
    () => readRequest({ rawBody: {}, body: [] }),
    () => ({ headers: {}, rawBody: bytes.toString(), body: {} }),
    () => ({ type: "Buffer", data: [...bytes.subarray(0, 4)] }),
    () => ({ bodyUsed: true, body: null }),
    () => ({ readableDidRead: true, body: {}, headers: {}, [Symbol.asyncIterator]: fail }),
    () => hostile(),
    () => fail,
    () => detached(bytes),
    () => detached(bytes).buffer,
    () => new URLSearchParams("event=tryon.completed"),
    () => new Map(),
    () => Object.create(null) as unknown,
    () => ({ byteLength: bytes.length, buffer: bytes.buffer, byteOffset: 0 }),
    () => ({ [Symbol.toStringTag]: "Uint8Array", length: 4 }),
    () => Promise.resolve(bytes),
  ])();
}
