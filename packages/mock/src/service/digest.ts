import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** Maximum number of characters for which a synchronous digest is faster. */
const smallText = 64 * 1024;

interface NodeCrypto {
  hash?(algorithm: "sha256", text: string): string;
}

export async function textDigest(text: string): Promise<string> {
  if (text.length <= smallText) {
    // Node's own digest takes a fifth of the time. The types of this package do not have Node's globals.
    const { process } = globalThis as {
      process?: { getBuiltinModule?(name: "node:crypto"): NodeCrypto };
    };
    const digest = process?.getBuiltinModule?.("node:crypto").hash?.("sha256", text);
    if (digest !== undefined) return digest;
  }
  const bytes = utf8ToBytes(text);
  if (text.length <= smallText || typeof crypto === "undefined" || crypto.subtle === undefined) {
    return bytesToHex(sha256(bytes));
  }
  return bytesToHex(new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(bytes))));
}

export function hmacHex(secret: string, message: string | Uint8Array): string {
  const bytes = typeof message === "string" ? utf8ToBytes(message) : message;
  return bytesToHex(hmac(sha256, utf8ToBytes(secret), bytes));
}

/** Compares two texts in constant time. */
export function sameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let index = 0; index < a.length; index += 1) {
    difference |= a.charCodeAt(index) ^ (b.charCodeAt(index) || 0);
  }
  return difference === 0;
}

export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    part !== null && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
