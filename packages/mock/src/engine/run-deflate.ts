/** The longest and the shortest stretch that one code of a repetition can stand for (RFC 1951, 3.2.5). */
const longestRepeat = 258;
const shortestRepeat = 3;

const endOfBlock = 256;

/** A distance of 1 is five bits of zero. */
const distanceBits = 5;

/** The largest prime below 2 ** 16, which the checksum counts by (RFC 1950). */
const checksumPrime = 65_521;

/**
 * Writes bytes as a zlib stream (RFC 1950) and looks for nothing but runs of the same byte. That suits drawings: what a
 * general compressor spends on every byte is here spent on every run, and the first picture of a process, whose code
 * no compiler has seen yet, takes a fraction of the time.
 */
export class RunDeflate {
  readonly #out: Uint8Array;
  #length = 0;
  #bits = 0;
  #held = 0;
  #value = 0;
  #run = 0;
  #sum = 1;
  #sumOfSums = 0;

  /** @param size how many bytes are going to be added at most. */
  constructor(size: number) {
    // A byte takes 9 bits at most; the rest is for header, end and checksum.
    this.#out = new Uint8Array(Math.ceil((size * 9) / 8) + 16);
    // The method and the window of 32 KiB; then one last block with the codes that need not be sent.
    this.#out.set([0x78, 0x01]);
    this.#length = 2;
    this.#put(0b011, 3);
  }

  /** Adds a byte `count` times. */
  add(value: number, count: number): void {
    if (value !== this.#value) {
      this.#flush();
      this.#value = value;
    }
    this.#run += count;
  }

  /** Ends the stream and gives it. */
  end(): Uint8Array {
    this.#flush();
    this.#symbol(endOfBlock);
    // The last byte is filled up with zeros.
    this.#put(0, (8 - (this.#held % 8)) % 8);
    for (const half of [this.#sumOfSums, this.#sum]) {
      this.#out[this.#length++] = half >> 8;
      this.#out[this.#length++] = half & 255;
    }
    return this.#out.subarray(0, this.#length);
  }

  #flush(): void {
    const run = this.#run;
    if (run === 0) return;
    const value = this.#value;
    this.#run = 0;
    // The checksum of a run at once: what adding its bytes one by one comes to.
    this.#sumOfSums += run * this.#sum + (value * run * (run + 1)) / 2;
    this.#sumOfSums %= checksumPrime;
    this.#sum = (this.#sum + run * value) % checksumPrime;
    this.#symbol(value);
    let left = run - 1;
    for (; left >= shortestRepeat; left -= Math.min(left, longestRepeat)) {
      this.#repeat(Math.min(left, longestRepeat));
    }
    for (; left > 0; left -= 1) this.#symbol(value);
  }

  /** The code for repeating the last byte: a symbol for a range of lengths, bits for the place in it, the distance 1. */
  #repeat(length: number): void {
    if (length === longestRepeat) {
      this.#symbol(285);
      return this.#put(0, distanceBits);
    }
    const place = length - shortestRepeat;
    // Four symbols share each number of extra bits, but for the first eight lengths, which need none.
    const extra = Math.max(0, 29 - Math.clz32(place));
    this.#symbol(257 + 4 * extra + (place >> extra));
    this.#put(place & ((1 << extra) - 1), extra + distanceBits);
  }

  /** The fixed codes of RFC 1951, 3.2.6. */
  #symbol(symbol: number): void {
    if (symbol < 144) this.#put(reversed(0x30 + symbol, 8), 8);
    else if (symbol < 256) this.#put(reversed(0x190 + symbol - 144, 9), 9);
    else if (symbol < 280) this.#put(reversed(symbol - 256, 7), 7);
    else this.#put(reversed(0xc0 + symbol - 280, 8), 8);
  }

  #put(bits: number, count: number): void {
    let all = this.#bits | (bits << this.#held);
    let held = this.#held + count;
    for (; held >= 8; held -= 8) {
      this.#out[this.#length++] = all & 255;
      all >>>= 8;
    }
    this.#bits = all;
    this.#held = held;
  }
}

/** Huffman codes go into the stream from their highest bit on, everything else from its lowest. */
function reversed(code: number, count: number): number {
  let bits = code;
  bits = ((bits & 0x5555) << 1) | ((bits >> 1) & 0x5555);
  bits = ((bits & 0x3333) << 2) | ((bits >> 2) & 0x3333);
  bits = ((bits & 0x0f0f) << 4) | ((bits >> 4) & 0x0f0f);
  bits = ((bits & 0x00ff) << 8) | (bits >> 8);
  return bits >> (16 - count);
}
