import { createHmac } from "node:crypto";
import { bytesOfHex } from "../verification/signature.ts";

/** The crypto back end of Node: HMAC-SHA256 (RFC 2104) at once, keyed with the UTF-8 of the secret. */
export function hmacSha256(secret: string, bytes: Uint8Array): Uint8Array {
  // Node makes a text in less time than a buffer.
  return bytesOfHex(createHmac("sha256", secret).update(bytes).digest("hex"));
}
