const lanes = 3;

/**
 * Map from texts to numbers for millions of items. It has 96 bits of a hash instead of each text, in typed arrays, so that the
 * heap does not grow: 30 to 60 bytes per text. Two texts of a map of a million have one hash with a probability of 1e-17.
 */
export class NumberMap {
  /** Random, so that no client can choose texts with one hash. Cloudflare Workers have no random values at the import. */
  readonly #seeds = crypto.getRandomValues(new Uint32Array(lanes));
  #hashes = new Uint32Array(lanes * 1_024);
  /** NaN is a free place. */
  #values = new Float64Array(1_024).fill(Number.NaN);
  #size = 0;
  readonly #hash = new Uint32Array(lanes);

  get size(): number {
    return this.#size;
  }

  has(text: string): boolean {
    return this.get(text) !== undefined;
  }

  get(text: string): number | undefined {
    const value = this.#values[this.#placeOf(text)] ?? Number.NaN;
    return Number.isNaN(value) ? undefined : value;
  }

  set(text: string, value: number): void {
    if (3 * this.#size >= 2 * this.#values.length) this.#grow();
    const place = this.#placeOf(text);
    if (Number.isNaN(this.#values[place])) this.#size += 1;
    this.#hashes.set(this.#hash, place * lanes);
    this.#values[place] = value;
  }

  /** Returns all values in ascending order. */
  values(): Float64Array {
    // NaN comes last.
    return this.#values.toSorted().subarray(0, this.#size);
  }

  #placeOf(text: string): number {
    let [a = 0, b = 0, c = 0] = this.#seeds;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      a = Math.imul(a ^ code, 0x9e37_79b1);
      b = Math.imul(b ^ code ^ (a >>> 15), 0x85eb_ca77);
      c = Math.imul(c ^ code ^ (b >>> 13), 0xc2b2_ae3d);
    }
    a = Math.imul(a ^ (a >>> 16) ^ text.length, 0x85eb_ca6b) ^ (c >>> 15);
    b = Math.imul(b ^ (b >>> 15), 0xc2b2_ae35) ^ (a >>> 13);
    c = Math.imul(c ^ (c >>> 16), 0x27d4_eb2f) ^ (b >>> 16);
    this.#hash[0] = a;
    this.#hash[1] = b;
    this.#hash[2] = c;
    return this.#find(this.#hash, this.#hashes, this.#values);
  }

  /** Returns the place of a hash, or the free one where it belongs. */
  #find(hash: Uint32Array, hashes: Uint32Array, values: Float64Array): number {
    const mask = values.length - 1;
    for (let place = (hash[0] ?? 0) & mask; ; place = (place + 1) & mask) {
      const at = place * lanes;
      const isFree = Number.isNaN(values[place]);
      if (
        isFree ||
        (hashes[at] === hash[0] && hashes[at + 1] === hash[1] && hashes[at + 2] === hash[2])
      )
        return place;
    }
  }

  #grow(): void {
    const values = new Float64Array(2 * this.#values.length).fill(Number.NaN);
    const hashes = new Uint32Array(lanes * values.length);
    for (const [old, value] of this.#values.entries()) {
      if (Number.isNaN(value)) continue;
      const hash = this.#hashes.subarray(old * lanes, (old + 1) * lanes);
      const place = this.#find(hash, hashes, values);
      hashes.set(hash, place * lanes);
      values[place] = value;
    }
    [this.#hashes, this.#values] = [hashes, values];
  }
}
