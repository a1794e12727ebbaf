import { isPage } from "#page";

/** Returns the first 32 bits of the fractional part of a root of a prime, which are the constants of SHA-256. */
const fractionOf = (root: number): number => Math.trunc((root % 1) * 2 ** 32);
const turn = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

/**
 * Returns a fingerprint of an API key: 16 hexadecimal digits, which tell keys apart and do not reveal them. Undefined without a
 * key, as for a client of a proxy, and in the build for pages, which have no key of their own.
 */
export function fingerprintOf(apiKey: string): string | undefined {
  if (isPage || !apiKey) return undefined;
  // The salt keeps the digest apart from one that others make of the key.
  const [first = 0, second = 0] = sha256(new TextEncoder().encode(`tryon-api-key ${apiKey}`));
  return [first, second].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/**
 * Returns the words of the SHA-256 of a message. That of `crypto` is asynchronous, which would delay the first request, also on
 * a clock that a test controls.
 */
export function sha256(message: Uint8Array): Int32Array {
  const length = Math.ceil((message.length + 9) / 64) * 64;
  const view = new DataView(new ArrayBuffer(length));
  message.forEach((byte, at) => view.setUint8(at, byte));
  view.setUint8(message.length, 0x80);
  view.setUint32(length - 4, message.length * 8);
  const primes: number[] = [];
  for (let one = 2; primes.length < 64; one += 1) {
    if (primes.every((prime) => one % prime > 0)) primes.push(one);
  }
  const hash = Int32Array.from(primes.slice(0, 8), (prime) => fractionOf(Math.sqrt(prime)));
  for (let start = 0; start < length; start += 64) {
    const words: number[] = [];
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
    for (const [at, prime] of primes.entries()) {
      const [two = 0, fifteen = 0] = [words[at - 2], words[at - 15]];
      const low = turn(fifteen, 7) ^ turn(fifteen, 18) ^ (fifteen >>> 3);
      const high = turn(two, 17) ^ turn(two, 19) ^ (two >>> 10);
      const word =
        at < 16
          ? view.getInt32(start + at * 4)
          : ((words[at - 16] ?? 0) + low + (words[at - 7] ?? 0) + high) | 0;
      words.push(word);
      const choice = (e & f) ^ (~e & g);
      const mix = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
      const next = (h + mix + choice + fractionOf(Math.cbrt(prime)) + word) | 0;
      const majority = (a & b) ^ (a & c) ^ (b & c);
      const sum = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + majority;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + next) | 0, c, b, a, (next + sum) | 0];
    }
    for (const [at, word] of [a, b, c, d, e, f, g, h].entries()) hash[at] = (hash[at] ?? 0) + word;
  }
  return hash;
}
