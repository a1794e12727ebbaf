/** A multiple of 3, so that pieces join without padding, and few enough for the arguments of one call. */
const pieceLength = 3 * 8_192;

/** Bytes as base64. */
export function encodeBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let start = 0; start < bytes.length; start += pieceLength) {
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(start, start + pieceLength))));
  }
  return pieces.join("");
}
