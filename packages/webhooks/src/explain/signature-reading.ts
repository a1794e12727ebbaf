import type { Cause } from "./cause.ts";
import { decodeBase64, decodeHex } from "./encodings.ts";
import { trimmed } from "./trim.ts";

/** A digest that a signature header was meant to carry. */
export interface Target {
  readonly hash: (typeof hashes)[number][0];
  readonly digest: Uint8Array;
}

/** What is wrong with the value of a signature header, and the digest that is in it all the same. */
export interface SignatureReading {
  readonly causes: readonly Cause[];
  readonly target: Target | undefined;
}

/** The hashes that HMAC is made with, and how many bytes each gives. */
const hashes = [
  ["SHA-256", 32],
  ["SHA-1", 20],
  ["SHA-384", 48],
  ["SHA-512", 64],
] as const;

const prefixes = /^((?:hmac[-_]?)?(?:sha[-_]?\d{1,3}|md5)|v\d|hmac|sig(?:nature)?)[=:,]\s*/i;

/** Reads a value leniently, which `verify` never does. */
export function readSignature(value: unknown): SignatureReading {
  if (typeof value !== "string") return { causes: ["signature_not_text"], target: undefined };
  const causes: Cause[] = [];
  const plain = trimmed(value, (character) => /[\s"'`]/.test(character));
  if (plain === "") return { causes: ["signature_empty"], target: undefined };
  if (plain !== value) causes.push("signature_padded");
  if (isOfOtherService(plain)) {
    return { causes: [...causes, "signature_of_other_service"], target: undefined };
  }
  const [whole = "", name = ""] = prefixes.exec(plain) ?? [];
  if (name === "") causes.push("signature_prefix_missing");
  else if (/^v\d$/i.test(name)) causes.push("signature_of_other_service");
  else if (whole !== "sha256=") {
    const sameWord = whole.toLowerCase() === "sha256=";
    causes.push(sameWord ? "signature_prefix_case" : "signature_prefix_wrong");
  }
  const reading = readDigest(plain.slice(whole.length));
  return { causes: [...causes, ...reading.causes], target: reading.target };
}

/** Several parts with names, such as `t=…,v1=…`. */
export function isOfOtherService(value: string): boolean {
  return /^\s*\w{1,9}=[^,;]*[,;]\s*\w{1,9}=/.test(value) && !/sha256=.*sha256=/i.test(value);
}

function readDigest(text: string): SignatureReading {
  if (text === "") return { causes: ["signature_empty"], target: undefined };
  if (/^[0-9a-f]+$/i.test(text)) {
    const target = targetOf(decodeHex(text));
    if (target === undefined) return { causes: ["signature_length"], target };
    return { causes: otherHash(target), target };
  }
  // Of 64 characters of base64 some 22 are hexadecimal digits too; where most are, some are wrong.
  const digits = text.match(/[0-9a-f]/gi)?.length ?? 0;
  const base64 = digits > 0.75 * text.length ? undefined : targetOf(decodeBase64(text));
  if (base64 !== undefined) {
    return { causes: ["signature_base64", ...otherHash(base64)], target: base64 };
  }
  const hex = decodeHex(text.replace(/^0x/i, "").replace(/[\s:-]/g, ""));
  return { causes: ["signature_not_hex"], target: targetOf(hex) };
}

function otherHash({ hash }: Target): readonly Cause[] {
  return hash === "SHA-256" ? [] : ["signature_other_hash"];
}

function targetOf(digest: Uint8Array | undefined): Target | undefined {
  const hash = hashes.find(([, length]) => length === digest?.length)?.[0];
  return hash === undefined || digest === undefined ? undefined : { hash, digest };
}
