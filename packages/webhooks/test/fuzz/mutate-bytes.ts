import type { Random } from "./random.ts";

type Mutation = (bytes: Buffer, random: Random) => Buffer;

const mark = Buffer.from([0xef, 0xbb, 0xbf]);

/** Bytes that decoders stumble over: no UTF-8, half of it, or UTF-8 that looks like something else. */
const tricks: readonly Buffer[] = [
  "ff",
  "fe",
  "c1a1",
  "c0af",
  "eda080",
  "f09f98",
  "f48fbfbf",
  "f4908080",
  "a9",
  "efbfbd",
  "efbbbf",
  "00",
  "e28080",
  "e280ae",
  "cc81",
  "0d0a",
].map((hex) => Buffer.from(hex, "hex"));

function spliced(bytes: Buffer, start: number, removed: number, added: Uint8Array): Buffer {
  return Buffer.concat([bytes.subarray(0, start), added, bytes.subarray(start + removed)]);
}

/** Two positions, in order. */
function range(bytes: Buffer, random: Random): [number, number] {
  const one = random.below(bytes.length + 1);
  const other = random.below(bytes.length + 1);
  return [Math.min(one, other), Math.max(one, other)];
}

/** Parses and writes anew, where that can be done. */
function rewritten(bytes: Buffer, write: (value: unknown) => string): Buffer {
  try {
    return Buffer.from(write(JSON.parse(bytes.toString())));
  } catch {
    return Buffer.from(bytes.toString());
  }
}

const mutations: Readonly<Record<string, Mutation>> = {
  bit(bytes, random) {
    const copy = Buffer.from(bytes);
    if (copy.length === 0) return copy;
    const at = random.below(copy.length);
    copy.writeUInt8(copy.readUInt8(at) ^ (1 << random.below(8)), at);
    return copy;
  },
  byte: (bytes, random) => spliced(bytes, random.below(bytes.length + 1), 1, random.bytes(1)),
  insert: (bytes, random) =>
    spliced(bytes, random.below(bytes.length + 1), 0, random.bytes(1 + random.below(4))),
  delete(bytes, random) {
    return spliced(bytes, random.below(bytes.length + 1), 1 + random.below(4), Buffer.alloc(0));
  },
  truncate: (bytes, random) => Buffer.from(bytes.subarray(0, random.below(bytes.length + 1))),
  behead: (bytes, random) => Buffer.from(bytes.subarray(random.below(bytes.length + 1))),
  append: (bytes, random) => Buffer.concat([bytes, random.bytes(1 + random.below(8))]),
  repeat(bytes, random) {
    const [start, end] = range(bytes, random);
    return spliced(bytes, end, 0, bytes.subarray(start, end));
  },
  reverse(bytes, random) {
    const [start, end] = range(bytes, random);
    return spliced(bytes, start, end - start, bytes.subarray(start, end).toReversed());
  },
  swap(bytes, random) {
    const [start, end] = range(bytes, random);
    return Buffer.concat([
      bytes.subarray(end),
      bytes.subarray(start, end),
      bytes.subarray(0, start),
    ]);
  },
  trick: (bytes, random) =>
    spliced(bytes, random.below(bytes.length + 1), random.below(2), random.pick(tricks)),
  mark: (bytes) =>
    bytes.subarray(0, 3).equals(mark)
      ? Buffer.from(bytes.subarray(3))
      : Buffer.concat([mark, bytes]),
  decoded: (bytes) => Buffer.from(bytes.toString()),
  composed: (bytes) => Buffer.from(bytes.toString().normalize("NFC")),
  decomposed: (bytes) => Buffer.from(bytes.toString().normalize("NFD")),
  latin1: (bytes) => Buffer.from(bytes.toString(), "latin1"),
  utf16: (bytes) => Buffer.from(bytes.toString(), "utf16le"),
  case: (bytes, random) =>
    Buffer.from(random.oneIn(2) ? bytes.toString().toUpperCase() : bytes.toString().toLowerCase()),
  spaced: (bytes) => rewritten(bytes, (value) => JSON.stringify(value, null, 2)),
  tight: (bytes) => rewritten(bytes, (value) => JSON.stringify(value)),
  reordered: (bytes) =>
    rewritten(bytes, (value) =>
      JSON.stringify(Object.fromEntries(Object.entries(Object(value) as object).toReversed())),
    ),
  escaped: (bytes, random) => {
    const text = bytes.toString();
    const at = random.below(text.length + 1);
    const code = (text.charCodeAt(at) || 0).toString(16).padStart(4, "0");
    return Buffer.from(`${text.slice(0, at)}\\u${code}${text.slice(at + 1)}`);
  },
  broken: (bytes) => Buffer.from(bytes.toString().replaceAll("\n", "\r\n").trim()),
  empty: () => Buffer.alloc(0),
  noise: (_bytes, random) => random.bytes(random.below(64)),
};

const names = Object.keys(mutations);

/** Changes bytes in one way; now and then what comes is what was there. */
export function mutateBytes(bytes: Buffer, random: Random): Buffer {
  return mutations[random.pick(names)]?.(bytes, random) ?? bytes;
}
