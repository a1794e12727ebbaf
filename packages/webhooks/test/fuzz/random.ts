/** Chance that can be had again: the same seed and number give the same, on every machine. */
export interface Random {
  /** A whole number from 0 up to, and without, the limit. */
  below(limit: number): number;
  /** One of a list that is not empty. */
  pick<Item>(items: readonly Item[]): Item;
  /** True once in so many times. */
  oneIn(times: number): boolean;
  bytes(length: number): Buffer;
}

/** Each trial has chance of its own, so that one can be run again without those before it. */
export function randomOf(seed: number, trial: number): Random {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(trial + 1, 0xc2b2ae35);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    // The position is one of the list's.
    pick: <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item,
    oneIn: (times) => below(times) === 0,
    bytes(length) {
      const bytes = Buffer.alloc(length);
      for (let at = 0; at < length; at += 1) bytes.writeUInt8(below(256), at);
      return bytes;
    },
  };
}
