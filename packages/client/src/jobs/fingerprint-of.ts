import { sha256Of } from "#runtime";

/**
 * Returns a fingerprint of an API key: 16 hexadecimal digits, which tell keys apart and do not reveal them. Undefined without a
 * key, as for a client of a proxy, and in runtimes without `node:crypto`, such as pages, which have no key of their own.
 */
export function fingerprintOf(apiKey: string): string | undefined {
  // The salt keeps the digest apart from one that others make of the key.
  return apiKey ? sha256Of(`tryon-api-key ${apiKey}`)?.slice(0, 16) : undefined;
}
