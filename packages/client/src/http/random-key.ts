/** Creates a UUID of version 4 with 120 random bits. `crypto.randomUUID` is missing on pages that were loaded over http. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    (byte + 256).toString(16).slice(1),
  )
    .join("")
    .replace(/(.{8})(.{4}).(.{3})..(..)/, "$1-$2-4$3-8a$4-");
}
