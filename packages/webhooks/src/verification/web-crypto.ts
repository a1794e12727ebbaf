/**
 * The crypto back end of every runtime: HMAC-SHA256 (RFC 2104) by the Web Cryptography API, keyed
 * with the UTF-8 bytes of the whole secret, its prefix included.
 */
export async function hmacSha256(
  secret: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  // Typed as always there, but missing on pages without https and in jsdom.
  const subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle;
  if (subtle === undefined) {
    throw new Error(
      "crypto.subtle is missing. Use Node 20 or later, https, or tests without jsdom.",
    );
  }
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const raw = new TextEncoder().encode(secret);
  // Stryker disable next-line BooleanLiteral: an extractable key would still not leave this function.
  const key = await subtle.importKey("raw", raw, algorithm, false, ["sign"]);
  return new Uint8Array(await subtle.sign(algorithm, key, bytes));
}
