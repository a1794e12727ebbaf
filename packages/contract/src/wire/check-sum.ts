/** Effect of each byte on the sum. */
const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xed_b8_83_20 : 0);
  return sum;
});

/** Checksum of the chunks of a PNG (CRC-32, ISO 3309). Node has one from 20.15 on. */
export function crc32(data: Uint8Array): number {
  let sum = 0xff_ff_ff_ff;
  for (const byte of data) sum = (sum >>> 8) ^ (table[(sum ^ byte) & 0xff] ?? 0);
  return (sum ^ 0xff_ff_ff_ff) >>> 0;
}
