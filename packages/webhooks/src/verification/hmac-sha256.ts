import { bytesOfHex } from "./signature.ts";

interface NodeCrypto {
  readonly createHmac?: (
    algorithm: string,
    key: string,
  ) => { update(data: Uint8Array): { digest(encoding: "hex"): string } };
}

/** Returns `node:crypto` in Node, Bun and Deno. There, the Web Cryptography API passes each call to another thread. */
function nodeCrypto(): NodeCrypto | undefined {
  const { process } = globalThis as {
    readonly process?: { readonly getBuiltinModule?: (name: string) => NodeCrypto | undefined };
  };
  return process?.getBuiltinModule?.("node:crypto");
}

const algorithm = { name: "HMAC", hash: "SHA-256" };
/** Receivers have one or two secrets. More than this come from a function that returns new ones. */
const maxKeys = 16;
/** Imported keys by secret, since an import takes longer than the HMAC of an event. */
const keys = new Map<string, Promise<CryptoKey>>();

/**
 * Computes HMAC-SHA256 (RFC 2104) with `node:crypto` or the Web Cryptography API. The key is the UTF-8 bytes of the
 * whole secret, including its prefix.
 */
export async function hmacSha256(
  secret: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  // Node returns text faster than a buffer.
  const hmac = nodeCrypto()?.createHmac?.("sha256", secret);
  if (hmac) return bytesOfHex(hmac.update(bytes).digest("hex"));
  // Typed as always present, but missing on pages without https and in jsdom.
  const subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle;
  if (subtle === undefined) {
    throw new Error(
      "crypto.subtle is missing. Use Node 20 or later, https, or tests without jsdom.",
    );
  }
  let key = keys.get(secret);
  if (key === undefined) {
    if (keys.size >= maxKeys) keys.clear();
    const raw = new TextEncoder().encode(secret);
    // Stryker disable next-line BooleanLiteral: an extractable key would still not leave this file.
    key = subtle.importKey("raw", raw, algorithm, false, ["sign"]);
    keys.set(secret, key);
  }
  return new Uint8Array(await subtle.sign(algorithm, await key, bytes));
}
