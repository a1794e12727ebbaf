import { valuesOf, type HeaderPairs } from "../verification/header-values.ts";
import { problemOf } from "../verification/secrets.ts";
import { isCompressed, unpadded } from "./candidates.ts";
import { finding, type Cause, type Finding } from "./causes.ts";
import { decode, decodeBase64, decodeHex, readJson, type Bytes } from "./encodings.ts";

const likelySignature = /^x-[a-z0-9-]{0,60}(?:signature|hmac|digest)[a-z0-9-]{0,20}$/;
const otherServiceFormat = /^(?!.*sha256=.*sha256=)\s*\w{1,9}=[^,;]*[,;]\s*\w{1,9}=/is;
const signaturePrefix =
  /^(?:(?:hmac[-_]?)?(?:sha[-_]?\d{1,3}|md5)|v\d|hmac|sig(?:nature)?)[=:,]\s*/i;
const placeholder =
  /^(?:undefined|null|NaN|true|false|changeme|\[object \w+\]|\$\{?\w+\}?|<.+>|\{\{.+\}\}|%\w+%)$/i;

function applying(
  causes: ReadonlyArray<readonly [cause: Cause, applies: boolean]>,
  proven: boolean,
  detail = "",
): readonly Finding[] {
  return causes.flatMap(([cause, applies]) => (applies ? [finding(cause, proven, detail)] : []));
}

/** Reads the signature header leniently, which `verify` never does. */
export function inspectSignature(headers: HeaderPairs): {
  findings: readonly Finding[];
  digest?: Bytes | undefined;
} {
  const values = valuesOf(headers, "x-service-signature").flatMap((value) =>
    typeof value === "string" && !otherServiceFormat.test(value) ? value.split(",") : [value],
  );
  const [value, ...more] = new Set(
    values.map((one) => (typeof one === "string" ? one.trim() : one)),
  );
  if (more.length > 0) return { findings: [finding("signature_contradicted", true)] };
  const plain = typeof value === "string" ? unquoted(value) : "";
  if (otherServiceFormat.test(plain)) {
    return { findings: [finding("signature_of_other_service", true)] };
  }
  const [prefix = ""] = signaturePrefix.exec(plain) ?? [];
  const text = plain.slice(prefix.length);
  if (text === "") return { findings: [finding("signature_empty", true)] };
  const { cause, digest } = readDigest(text);
  const format = applying(
    [
      ["signature_repeated", values.length > 1],
      ["signature_padded", values.length === 1 && plain !== values[0]],
      ["signature_prefix", prefix !== "sha256="],
    ],
    true,
  );
  return { findings: cause === undefined ? format : [...format, finding(cause, true)], digest };
}

/** Removes white space and quotes in linear time, which `/\s+$/` does not. */
function unquoted(value: string): string {
  const text = value.trim();
  const [first = ""] = text;
  return `"'\``.includes(first) && text.endsWith(first) ? text.slice(1, -1).trim() : text;
}

function readDigest(text: string): { cause?: Cause; digest?: Bytes | undefined } {
  const isHex = /^[0-9a-f]+$/i.test(text);
  if (isHex && text.length !== 64) return { cause: "signature_length" };
  if (isHex) return { digest: decodeHex(text) };
  const base64 = decodeBase64(text);
  if (base64?.length === 32) return { cause: "signature_base64", digest: base64 };
  const hex = decodeHex(text.replace(/^0x/i, "").replace(/[\s:-]/g, ""));
  return { cause: "signature_not_hex", digest: hex?.length === 32 ? hex : undefined };
}

export function inspectHeaders(headers: HeaderPairs): readonly Finding[] {
  const names = headers.map(([name]) => name);
  if (names.length === 0) return [finding("headers_missing", true)];
  const missing = finding("signature_header_missing", true);
  const other = names.find((name) => likelySignature.test(name));
  return other === undefined
    ? [missing]
    : [missing, finding("signature_header_other", true, other)];
}

/** Returns what a text is instead of a secret, if its form shows it. */
function otherKind(plain: string): Cause | undefined {
  if (/^svc_(?:live|test)_/.test(plain)) return "secret_is_api_key";
  return placeholder.test(plain) ? "secret_placeholder" : undefined;
}

export function inspectSecrets(secrets: unknown): readonly Finding[] {
  if (typeof secrets === "function") return [finding("secret_source_failed", true)];
  const list = [secrets].flat();
  const unusable = list.flatMap((secret, at) => {
    const problem = problemOf(secret);
    if (problem === undefined) return [];
    const plain = typeof secret === "string" ? unpadded(secret) : "";
    const padding = problem === "quoted" ? "secret_padded" : "secret_list_joined";
    const cause = plain === "" ? "secret_missing" : (otherKind(plain) ?? padding);
    return [finding(cause, true, list.length > 1 ? `secrets[${at}]` : "")];
  });
  return unusable.length > 0 ? unusable : [finding("secret_missing", true)];
}

export function suspectSecret(secret: string, detail: string): readonly Finding[] {
  const plain = unpadded(secret);
  const kind = otherKind(plain);
  if (kind !== undefined) return [finding(kind, false, detail)];
  return applying(
    [
      ["secret_padded", plain !== secret],
      ["secret_list_joined", /[,;]/.test(plain)],
      ["secret_prefix", /^(?!whsec_)|^whsec_whsec_/.test(plain)],
    ],
    false,
    detail,
  );
}

export function suspectBody(bytes: Uint8Array, headers: HeaderPairs): readonly Finding[] {
  if (bytes.length === 0) return suspect("body_empty");
  if (isCompressed(bytes)) return suspect("body_compressed");
  const text = decode("utf-8", bytes);
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

export function inspectBody(body: unknown): Cause {
  if (body === undefined || body === null) return "body_missing";
  // A field of a request may be an accessor of its class, which a copy would lose.
  const request = Object(body) as Readonly<Record<string, unknown>>;
  if (request["bodyUsed"] === true || request["readableDidRead"] === true)
    return "body_read_before";
  const isStream = Symbol.asyncIterator in request || request["bodyUsed"] === false;
  return isStream ? "body_unreadable" : "body_parsed";
}
