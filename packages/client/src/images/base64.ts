const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/**
 * Bytes as base64, in memory of its own. By hand, since it is as quick as what Node has, forty times quicker than `btoa`,
 * and makes no large text on the way.
 */
export function encodeBase64(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { length } = bytes;
  const text = new Uint8Array(Math.ceil(length / 3) * 4);
  const digits = new TextEncoder().encode(alphabet);
  for (let from = 0, to = 0; from < length; from += 3) {
    // What is missing beyond the end counts as 0; every other index is within bounds.
    const bits =
      ((bytes[from] as number) << 16) |
      ((bytes[from + 1] as number) << 8) |
      (bytes[from + 2] as number);
    text[to++] = digits[bits >> 18] as number;
    text[to++] = digits[(bits >> 12) & 63] as number;
    text[to++] = digits[(bits >> 6) & 63] as number;
    text[to++] = digits[bits & 63] as number;
  }
  return text.fill(61, text.length - ((3 - (length % 3)) % 3));
}
