import { textOrNull } from "../verification/event.ts";
import { headerValues } from "../verification/header-values.ts";
import { viewOf } from "../verification/raw-bytes.ts";
import { isUsable } from "../verification/secrets.ts";
import { isCompressed, unpadded } from "./candidates.ts";
import { finding } from "./causes.ts";
import type { Cause, Finding } from "./causes.ts";
import { decodeBase64, decodeHex, decodeUtf8, readJson } from "./encodings.ts";

/** Digest in a signature header, and the hash that has this length. */
export interface Digest {
  readonly hash: "SHA-1" | "SHA-256" | "SHA-384" | "SHA-512";
  readonly bytes: Uint8Array;
}

const hashes: Readonly<Record<number, Digest["hash"]>> = {
  20: "SHA-1",
  32: "SHA-256",
  48: "SHA-384",
  64: "SHA-512",
};
const likelySignature = /^x-[a-z0-9-]{0,60}(?:signature|hmac|digest)[a-z0-9-]{0,20}$/;
const otherServiceFormat = /^\s*\w{1,9}=[^,;]*[,;]\s*\w{1,9}=/;
const signaturePrefix = /^((?:hmac[-_]?)?(?:sha[-_]?\d{1,3}|md5)|v\d|hmac|sig(?:nature)?)[=:,]\s*/i;
const placeholder =
  /^(?:undefined|null|NaN|true|false|changeme|\[object \w+\]|\$\{?\w+\}?|<.+>|\{\{.+\}\}|%\w+%)$/i;

/** Reads the signature header leniently, which `verify` never does. */
export function inspectSignature(headers: unknown): {
  findings: readonly Finding[];
  digest?: Digest | undefined;
} {
  const values = valuesOf(headers, "x-service-signature").flatMap((value) =>
    typeof value === "string" && !isOfOtherService(value) ? value.split(",") : [value],
  );
  const [value, ...more] = new Set(
    values.map((one) => (typeof one === "string" ? one.trim() : one)),
  );
  if (more.length > 0) return { findings: report("signature_contradicted") };
  const repeated: Cause[] = values.length > 1 ? ["signature_repeated"] : [];
  if (typeof value !== "string") return { findings: report(...repeated, "signature_empty") };
  const plain = unquoted(value);
  const padded: Cause[] = values.length === 1 && plain !== values[0] ? ["signature_padded"] : [];
  if (isOfOtherService(plain)) return { findings: report("signature_of_other_service") };
  const [whole = "", name = ""] = signaturePrefix.exec(plain) ?? [];
  const text = plain.slice(whole.length);
  if (text === "") return { findings: report("signature_empty") };
  const prefix: Cause[] = /^v\d$/i.test(name)
    ? ["signature_of_other_service"]
    : whole === "sha256="
      ? []
      : ["signature_prefix"];
  const { causes, digest } = readDigest(text);
  return { findings: report(...repeated, ...padded, ...prefix, ...causes), digest };
}

function report(...causes: Cause[]): readonly Finding[] {
  return causes.map((cause) => finding(cause, true));
}

function isOfOtherService(value: string): boolean {
  return otherServiceFormat.test(value) && !/sha256=.*sha256=/i.test(value);
}

/** Removes white space and quotes in linear time, which `/\s+$/` does not. */
function unquoted(value: string): string {
  const text = value.trim();
  const [first = ""] = text;
  return `"'\``.includes(first) && text.endsWith(first) ? text.slice(1, -1).trim() : text;
}

function readDigest(text: string): { causes: readonly Cause[]; digest?: Digest | undefined } {
  if (/^[0-9a-f]+$/i.test(text)) {
    return withHash(decodeHex(text)) ?? { causes: ["signature_length"] };
  }
  // About a third of the characters of base64 are hexadecimal digits, too.
  const digits = text.match(/[0-9a-f]/gi)?.length ?? 0;
  const base64 = digits > 0.75 * text.length ? undefined : decodeBase64(text);
  const hex = decodeHex(text.replace(/^0x/i, "").replace(/[\s:-]/g, ""));
  return (
    withHash(base64, "signature_base64") ??
    withHash(hex, "signature_not_hex") ?? { causes: ["signature_not_hex"] }
  );
}

function withHash(bytes: Uint8Array | undefined, ...causes: Cause[]) {
  const hash = hashes[bytes?.length ?? 0];
  if (bytes === undefined || hash === undefined) return undefined;
  if (hash !== "SHA-256") causes.push("signature_other_hash");
  return { causes, digest: { hash, bytes } };
}

/** Finds the reason for a missing signature header. */
export function inspectHeaders(headers: unknown): readonly Finding[] {
  const names = namesOf(headers);
  if (names.length === 0) return [finding("headers_missing", true)];
  if (names.some((name) => /^(?:http_)?x_service_signature$/.test(name))) {
    return [finding("signature_header_renamed", true)];
  }
  const came = names.filter((name) => /^x-service-(?:event|job-id)$/.test(name));
  const others = names.filter((name) => likelySignature.test(name)).slice(0, 5);
  const detail = came.length === 0 ? "" : `${came.join(" and ")} arrived`;
  const missing = finding("signature_header_missing", true, detail);
  if (others.length === 0) return [missing];
  return [missing, finding("signature_header_other", true, others.join(", "))];
}

/** Finds why secrets cannot be used. */
export function inspectSecrets(secrets: unknown): readonly Finding[] {
  const list: readonly unknown[] = Array.isArray(secrets) ? secrets : [secrets];
  if (list.every((secret) => secret === undefined)) return [finding("secret_missing", true)];
  return list.flatMap((secret, at) => {
    const detail = list.length > 1 ? `secrets[${at}]` : "";
    if (typeof secret !== "string") {
      return secret === undefined ? [] : [finding("secret_not_text", true, detail)];
    }
    if (secret.trim() === "") return [finding("secret_blank", true, detail)];
    return isUsable(secret) ? [] : [finding("secret_placeholder", true, detail)];
  });
}

/** Finds likely mistakes in a secret that does not fit. */
export function suspectSecret(secret: string, detail: string): readonly Finding[] {
  const plain = unpadded(secret);
  const suspects: ReadonlyArray<readonly [Cause, boolean]> = /^svc_(?:live|test)_/.test(plain)
    ? [["secret_is_api_key", true]]
    : placeholder.test(plain)
      ? [["secret_placeholder", true]]
      : [
          ["secret_padded", plain !== secret],
          ["secret_list_joined", /[\s,;]/.test(plain)],
          ["secret_prefix", /^(?!whsec_)|^whsec_whsec_/.test(plain)],
        ];
  return suspects.flatMap(([cause, holds]) => (holds ? [finding(cause, false, detail)] : []));
}

/** Finds a likely mistake in a body that does not fit. */
export function suspectBody(bytes: Uint8Array, headers: unknown): readonly Finding[] {
  if (bytes.length === 0) return suspect("body_empty");
  if (isCompressed(bytes)) return suspect("body_compressed");
  const text = decodeUtf8(bytes);
  if (text === undefined) return suspect("body_charset");
  const [sent] = valuesOf(headers, "content-length");
  const length = Number(sent ?? bytes.length);
  if (length > bytes.length && valuesOf(headers, "content-encoding").length === 0) {
    return suspect("body_truncated", `${bytes.length} of ${length} bytes`);
  }
  if (text.includes("\uFFFD")) return suspect("body_charset", "bytes were replaced by U+FFFD");
  const json = readJson(text);
  if (typeof json === "string") return suspect("body_encoded");
  if (json !== undefined) return [];
  if (text.startsWith("[object ")) return suspect("body_parsed");
  if (/^\s*\{/.test(text)) return suspect("body_truncated", "the JSON has no end");
  const encoded = decodeBase64(text.trim()) !== undefined || /^[^\s{"[]+=|^%7B/i.test(text);
  return encoded ? suspect("body_encoded") : [];
}

function suspect(cause: Cause, detail = ""): readonly Finding[] {
  return [finding(cause, false, detail)];
}

/** Finds why a body has no bytes, and returns the parsed JSON if there is some. */
export function inspectBody(body: unknown): { cause: Cause; parsed?: unknown } {
  if (body === undefined || body === null) return { cause: "body_missing" };
  if (typeof body !== "object") return { cause: "body_parsed" };
  // A field of a request may be an accessor of its class, which a copy would lose.
  const fields = body as Readonly<Record<string, unknown>>;
  if (fields["bodyUsed"] === true || fields["readableDidRead"] === true) {
    const { body: inner } = fields;
    return { cause: "body_read_before", parsed: isParsed(inner) ? inner : undefined };
  }
  if (isParsed(body)) return { cause: "body_parsed", parsed: body };
  const isStream = Symbol.asyncIterator in body || fields["bodyUsed"] === false;
  return { cause: isStream ? "body_unreadable" : "body_parsed" };
}

/** Tests for plain objects and arrays, which a JSON parser creates, and not for requests or forms. */
function isParsed(value: unknown): boolean {
  if (typeof value !== "object" || value === null || viewOf(value) !== undefined) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === null || prototype === Object.prototype;
}

/** Finds what is wrong with an event whose signature is valid. */
export function inspectEvent(
  bytes: Uint8Array,
  headers: unknown,
  age: { readonly maxAge: number; readonly now: () => number },
): readonly Finding[] {
  const json = readJson((decodeUtf8(bytes) ?? "").replace(/^\uFEFF/, ""));
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    return [finding("json_invalid", true)];
  }
  const event: Readonly<Record<string, unknown>> = { ...json };
  const { event: kind, job_id, status } = event;
  const isKnown = kind === "tryon.completed";
  const valid = {
    event: !!textOrNull(kind),
    job_id: !isKnown || !!textOrNull(job_id),
    status: !isKnown || status === "succeeded" || status === "failed",
  };
  const wrong = Object.entries(valid).filter(([, isValid]) => !isValid);
  if (wrong.length > 0) {
    return wrong.map(([name]) =>
      finding("event_field", true, `${name}: ${name in event ? "wrong value" : "missing"}`),
    );
  }
  const differing = [
    ["X-Service-Event", kind],
    ["X-Service-Job-Id", job_id],
  ] as const;
  for (const [name, signed] of differing) {
    const values = valuesOf(headers, name.toLowerCase());
    if (typeof signed === "string" && values.some((value) => value !== signed)) {
      return [finding("header_differs", true, name)];
    }
  }
  const text = String(textOrNull(event["completed_at"]));
  const time = Date.parse(/(?:z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`);
  if (Number.isNaN(time)) return [finding("time_missing", true)];
  const seconds = Math.round((age.now() - time) / 1_000);
  return [finding("time_too_old", true, `${seconds} s, maxAge ${age.maxAge / 1_000} s`)];
}

function valuesOf(headers: unknown, name: string): readonly unknown[] {
  return headerValues({ headers, body: undefined }, /./)(name);
}

function namesOf(headers: unknown): readonly string[] {
  try {
    // Anything but an object throws, and has no names.
    const given = headers as object;
    const pairs: Iterable<readonly unknown[]> =
      Symbol.iterator in given ? (given as Iterable<readonly unknown[]>) : Object.entries(given);
    return [...pairs].map(([name]) => String(name).toLowerCase());
  } catch {
    return [];
  }
}
