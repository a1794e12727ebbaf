import type { Choices } from "./choices.ts";

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** Bytes that decoders get wrong: invalid or cut UTF-8, overlong forms and special characters. */
const sequences: readonly Buffer[] =
  "ff c1a1 c0af eda080 f09f98 f48fbfbf f4908080 a9 efbfbd efbbbf 00 e280ae 0d0a"
    .split(" ")
    .map((hex) => Buffer.from(hex, "hex"));

function splice(bytes: Buffer, start: number, removed: number, added: Uint8Array): Buffer {
  return Buffer.concat([bytes.subarray(0, start), added, bytes.subarray(start + removed)]);
}

/** Writes the parsed JSON again, if the bytes are JSON. */
function rewrite(bytes: Buffer, write: (value: unknown) => string): Buffer {
  try {
    return Buffer.from(write(JSON.parse(bytes.toString())));
  } catch {
    return bytes;
  }
}

type Mutation = (bytes: Buffer, choices: Choices) => Buffer;

const mutations: readonly Mutation[] = [
  // Replaces, inserts or removes some bytes, or cuts off the rest.
  (bytes, choices) => {
    const removed = choices.pick([0, 1, 1, 3, bytes.length]);
    return splice(bytes, choices.below(bytes.length + 1), removed, choices.bytes(choices.below(4)));
  },
  (bytes, choices) =>
    splice(bytes, choices.below(bytes.length + 1), choices.below(2), choices.pick(sequences)),
  (bytes, choices) => Buffer.concat([bytes, choices.bytes(1 + choices.below(8))]),
  (bytes) =>
    bytes.subarray(0, 3).equals(byteOrderMark)
      ? bytes.subarray(3)
      : Buffer.concat([byteOrderMark, bytes]),
  // The loss of a receiver that decodes the body before it verifies.
  (bytes) => Buffer.from(bytes.toString()),
  (bytes) => Buffer.from(bytes.toString().normalize("NFD")),
  (bytes) => Buffer.from(bytes.toString().replaceAll("\n", "\r\n").trim()),
  (bytes) => rewrite(bytes, (value) => JSON.stringify(value, null, 2)),
  (bytes) => rewrite(bytes, (value) => JSON.stringify(value)),
  () => Buffer.alloc(0),
  (_bytes, choices) => choices.bytes(choices.below(64)),
];

/** Changes bytes in one way. Some changes have no effect. */
export function mutateBytes(bytes: Buffer, choices: Choices): Buffer {
  return choices.pick(mutations)(bytes, choices);
}
