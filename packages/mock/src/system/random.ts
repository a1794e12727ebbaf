import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Largest multiple of the alphabet's length in a byte. Higher bytes would make some letters more frequent. */
const fairBytes = Math.floor(256 / alphabet.length) * alphabet.length;

/** Position in a random stream. */
export interface RandomState {
  readonly counter: number;
  readonly position: number;
}

/**
 * Random source with a seed: the stream of SHA-256 digests of the seed and a counter. The same seed gives the same ids on
 * every machine and in every runtime.
 */
export class SeededRandom {
  readonly seed: string;
  #block: Uint8Array = new Uint8Array(0);
  #position = 0;
  #counter = 0;

  constructor(seed: string) {
    this.seed = seed;
  }

  byte(): number {
    const value = this.#block[this.#position];
    if (value !== undefined) {
      this.#position += 1;
      return value;
    }
    this.#block = this.#digest(this.#counter);
    this.#counter += 1;
    this.#position = 0;
    return this.byte();
  }

  get state(): RandomState {
    return { counter: this.#counter, position: this.#position };
  }

  /** Continues at the position of a stream of the same seed. */
  resume({ counter, position }: RandomState): void {
    this.#block = counter === 0 ? new Uint8Array(0) : this.#digest(counter - 1);
    this.#counter = counter;
    this.#position = position;
  }

  /** Returns a number from 0 to 1, without 1. */
  fraction(): number {
    let value = 0;
    for (let index = 0; index < 4; index += 1) value = value * 256 + this.byte();
    return value / 2 ** 32;
  }

  /** Returns `length` characters of [0-9A-Za-z]. */
  token(length: number): string {
    let text = "";
    while (text.length < length) {
      const byte = this.byte();
      if (byte < fairBytes) text += alphabet.charAt(byte % alphabet.length);
    }
    return text;
  }

  #digest(counter: number): Uint8Array {
    return sha256(utf8ToBytes(`${this.seed}\n${counter}`));
  }
}

/** Creates a new random seed. */
export function freshSeed(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
