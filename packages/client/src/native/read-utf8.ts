/** Number of arguments of a call, which engines limit. */
const chunkSize = 8_192;

/** Returns a text with one character for each byte. */
export function binaryText(bytes: Uint8Array): string {
  let text = "";
  for (let start = 0; start < bytes.length; start += chunkSize) {
    text += String.fromCharCode(...bytes.subarray(start, start + chunkSize));
  }
  return text;
}

/** Decodes UTF-8 that has one character for each byte. Hermes has no `TextDecoder` before React Native 0.85. */
export function decodeUtf8(binary: string): string {
  return binary.replaceAll(/[\x80-\xff]+/g, (run) => {
    try {
      return decodeURIComponent(
        run.replaceAll(/./g, (unit) => `%${unit.charCodeAt(0).toString(16)}`),
      );
    } catch {
      // Not UTF-8.
      return "\ufffd";
    }
  });
}
