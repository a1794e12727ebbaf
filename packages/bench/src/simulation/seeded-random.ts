/** Chance that comes out the same for the same seed: numbers from 0 up to, but not including, 1. */
export function seededRandom(seed: number): () => number {
  // An additive sequence of the golden ratio, each step mixed until all bits depend on all (the mix of MurmurHash3).
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}
