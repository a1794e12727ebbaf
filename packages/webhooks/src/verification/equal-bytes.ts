/** Compares in constant time: one step per byte, without a branch that depends on the bytes. */
export function equalBytes(one: Uint8Array, other: Uint8Array): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < one.length; at += 1) difference |= (one[at] ?? 0) ^ (other[at] ?? 256);
  return difference === 0;
}
