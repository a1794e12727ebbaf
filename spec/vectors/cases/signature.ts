import { createHash, createHmac } from "node:crypto";
import {
  accepted,
  bytesOf,
  completed,
  json,
  refused,
  secret,
  signature,
  spread,
  vector,
  withBitFlipped,
} from "../webhook-vector.ts";
import type { WebhookVector } from "../webhook-vector.ts";

const body = json(completed);
const right = signature(body);
const digits = right.slice("sha256=".length);

/** One header, with the signature written in another way. */
function written(id: string, name: string, value: string): WebhookVector {
  const headers = [["X-Service-Signature", value]] as const;
  return vector(`malformed-${id}`, name, refused("malformed_signature"), { headers });
}

/** Well formed, but of something else. */
function other(id: string, name: string, digest: string): WebhookVector {
  const headers = [["X-Service-Signature", `sha256=${digest}`]] as const;
  return vector(`mismatch-${id}`, name, refused("signature_mismatch"), { headers });
}

function flipped(bit: number): string {
  return withBitFlipped(Buffer.from(digits, "hex"), bit).toString("hex");
}

function named(id: string, name: string): WebhookVector {
  return vector(id, `a header called ${name}`, accepted, { headers: [[name, right]] });
}

function several(id: string, name: string, ...values: string[]): WebhookVector {
  const headers = values.map((value) => ["X-Service-Signature", value] as const);
  return vector(`multiple-${id}`, name, refused("multiple_signatures"), { headers });
}

export const signatureCases: WebhookVector[] = [
  vector("accepted", "a delivery as the service sends it", accepted, {
    headers: [
      ["X-Service-Signature", right],
      ["X-Service-Event", completed.event],
      ["X-Service-Job-Id", completed.job_id],
    ],
  }),
  vector("accepted-upper-case", "digits in upper case", accepted, {
    headers: [["X-Service-Signature", `sha256=${digits.toUpperCase()}`]],
  }),
  vector("accepted-mixed-case", "every other digit in upper case", accepted, {
    headers: [
      [
        "X-Service-Signature",
        `sha256=${digits.replaceAll(/.(.)?/g, (two) => two.slice(0, 1) + two.slice(1).toUpperCase())}`,
      ],
    ],
  }),
  named("accepted-lower-case-name", "x-service-signature"),
  named("accepted-upper-case-name", "X-SERVICE-SIGNATURE"),

  vector("missing", "no header at all", refused("missing_signature"), { headers: [] }),
  vector("missing-other-headers", "the other two headers only", refused("missing_signature"), {
    headers: [
      ["X-Service-Event", completed.event],
      ["X-Service-Job-Id", completed.job_id],
    ],
  }),
  vector(
    "missing-similar-name",
    "a header whose name only resembles",
    refused("missing_signature"),
    {
      headers: [["X-Service-Signature-256", right]],
    },
  ),

  written("empty", "an empty value", ""),
  written("prefix-only", "the prefix and nothing after it", "sha256="),
  written("no-prefix", "digits without the prefix", digits),
  written("other-prefix", "the prefix of another hash", `sha512=${digits}`),
  written("short-prefix", "the prefix of another service", `v1=${digits}`),
  written("upper-case-prefix", "the prefix in upper case", `SHA256=${digits}`),
  written("colon", "a colon for the equals sign", `sha256:${digits}`),
  written("double-equals", "two equals signs", `sha256==${digits.slice(1)}`),
  written("62-digits", "one byte too few", `sha256=${digits.slice(2)}`),
  written("63-digits", "one digit too few", `sha256=${digits.slice(1)}`),
  written("65-digits", "one digit too many", `sha256=${digits}0`),
  written("66-digits", "one byte too many", `sha256=${digits}00`),
  written("leading-space", "a space before", ` ${right}`),
  written("trailing-space", "a space after", `${right} `),
  written("inner-space", "a space after the equals sign", `sha256= ${digits}`),
  written("leading-newline", "a line break before", `\n${right}`),
  written("trailing-newline", "a line break after", `${right}\n`),
  written("second-line", "a second line of anything", `${right}\nx`),
  written("trailing-nul", "a zero byte after", `${right}\u0000`),
  written("trailing-letters", "letters after", `${right}zz`),
  written("junk-between", "junk between the pairs", `sha256=${digits.replaceAll(/(..)/g, "$1-")}`),
  written(
    "junk-in-place",
    "a letter that is no digit, in place of one",
    `sha256=g${digits.slice(1)}`,
  ),
  written("hex-sign", "0x before the digits", `sha256=0x${digits.slice(2)}`),
  written(
    "base64",
    "the digest in base64",
    `sha256=${Buffer.from(digits, "hex").toString("base64")}`,
  ),
  written("latin1", "a letter beyond ASCII, of equal length", `sha256=é${digits.slice(1)}`),
  written("full-width", "full-width digits, of equal length", `sha256=${"１".repeat(64)}`),
  written("surrogate-pair", "an emoji, of equal length", `sha256=😀${digits.slice(2)}`),
  written("long-s", "a letter that upper case makes an S", `\u017fha256=${digits}`),
  written(
    "look-alike",
    "a Cyrillic letter that looks like a digit",
    `sha256=\u0430${digits.slice(1)}`,
  ),
  written("arabic-digits", "digits of another script", `sha256=${"\u0661".repeat(64)}`),
  written("mark-before", "a byte order mark before", `\ufeff${right}`),
  written("zero-width", "a space of no width after", `${right}\u200b`),
  written("line-separator", "a line separator after", `${right}\u2028`),
  written("carriage-return", "a carriage return after", `${right}\r`),
  written("tab", "a tab before", `\t${right}`),
  written("prefix-twice", "the prefix twice", `sha256=${right}`),
  written("title-case-prefix", "the prefix with a capital letter", `Sha256=${digits}`),
  written("digits-twice", "the digits twice", `${right}${digits}`),
  written("semicolon", "a semicolon and another one after", `${right}; ${right}`),
  written("escaped-equals", "the equals sign as in an address", `sha256%3D${digits}`),
  written("json", "the value as JSON", JSON.stringify({ sha256: digits })),
  written("long", "five thousand digits", `sha256=${"0".repeat(5_000)}`),
  written("quoted", "quotation marks around", `"${right}"`),

  several("same", "the same header twice", right, right),
  several("right-first", "two headers, the first right", right, `sha256=${flipped(0)}`),
  several("right-last", "two headers, the last right", `sha256=${flipped(0)}`, right),
  several("junk", "two headers, one of them junk", "junk", right),
  vector("multiple-cases", "one in two spellings of its name", refused("multiple_signatures"), {
    headers: [
      ["X-Service-Signature", right],
      ["x-service-signature", right],
    ],
  }),
  several("three", "three headers, the one between right", "junk", right, "junk"),
  several("comma-after", "a comma after", `${right},`),
  several("comma-before", "a comma before", `,${right}`),
  several("joined", "two headers that were joined", `${right}, ${right}`),
  several("joined-tight", "two headers that were joined without a space", `${right},${right}`),

  ...spread(32, 256).map((bit) =>
    other(`signature-bit-${bit}`, `bit ${bit} of the signature flipped`, flipped(bit)),
  ),
  other("ones", "all bits set", "f".repeat(64)),
  other("zeros", "nothing but zeros", "0".repeat(64)),
  other("swapped", "the halves swapped", digits.slice(32) + digits.slice(0, 32)),
  other("unkeyed", "a plain hash, without a key", sha256(bytesOf(body))),
  other("key-appended", "a plain hash of body and secret", sha256(bytesOf(body), secret)),
  other("key-prepended", "a plain hash of secret and body", sha256(secret, bytesOf(body))),
  other(
    "reversed",
    "the bytes from last to first",
    Buffer.from(Buffer.from(digits, "hex").toReversed()).toString("hex"),
  ),
  other("hex-of-body", "an HMAC of the body's hexadecimal", ofHexadecimal()),
  other("sha512", "the start of an HMAC-SHA512", sha512()),
  other("no-key-prefix", "a key without its whsec_", keyed(secret.replace("whsec_", ""))),
  other("decoded-key", "a key read as base64", keyed(Buffer.from(secret.slice(6), "base64"))),
  other("empty-key", "an empty key", keyed("")),
];

function sha256(...parts: Array<string | Uint8Array>): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}

function ofHexadecimal(): string {
  return createHmac("sha256", secret).update(bytesOf(body).toString("hex")).digest("hex");
}

function sha512(): string {
  return createHmac("sha512", secret).update(bytesOf(body)).digest("hex").slice(0, 64);
}

function keyed(key: string | Uint8Array): string {
  return signature(body, key).slice("sha256=".length);
}
