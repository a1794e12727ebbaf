/** Creates a random source with a seed, by a linear congruential generator. */
export function seededRandom(seed: number): () => number {
  let state = BigInt(seed);
  return () => {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) % 2n ** 64n;
    return Number(state >> 11n) / 2 ** 53;
  };
}
