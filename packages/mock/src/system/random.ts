import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Largest multiple of the alphabet's length in a byte. Higher bytes would make some letters more frequent. */
const unbiasedBytes = Math.floor(256 / alphabet.length) * alphabet.length;

const blockBytes = 32;

/**
 * Random source with a seed: the stream of SHA-256 digests of the seed and a counter. The same seed gives the same ids on
 * every machine and in every runtime.
 */
export class SeededRandom {
  readonly seed: string;
  /** Number of bytes read. Setting it continues the stream there. */
  position = 0;
  #counter = -1;
  #block = new Uint8Array(0);

  constructor(seed: string) {
    this.seed = seed;
  }

  byte(): number {
    const counter = Math.floor(this.position / blockBytes);
    if (counter !== this.#counter) {
      this.#block = sha256(utf8ToBytes(`${this.seed}\n${counter}`));
      this.#counter = counter;
    }
    const value = this.#block[this.position % blockBytes] ?? 0;
    this.position += 1;
    return value;
  }

  fraction(): number {
    let value = 0;
    for (let index = 0; index < 4; index += 1) value = value * 256 + this.byte();
    return value / 2 ** 32;
  }

  token(length: number): string {
    let text = "";
    while (text.length < length) {
      const byte = this.byte();
      if (byte < unbiasedBytes) text += alphabet.charAt(byte % alphabet.length);
    }
    return text;
  }
}

export function freshSeed(): string {
  return bytesToHex(crypto.getRandomValues(new Uint8Array(16)));
}
