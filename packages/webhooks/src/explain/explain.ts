import { readBody } from "../verification/body.ts";
import { equalBytes } from "../verification/equal-bytes.ts";
import type { TryOnEvent } from "../verification/event.ts";
import type { WebhookHeaders } from "../verification/header-values.ts";
import { usableSecrets } from "../verification/secrets.ts";
import type { Secrets } from "../verification/secrets.ts";
import { defaultMaxBodyBytes, safeVerify } from "../verification/verify.ts";
import type { VerifyOptions } from "../verification/verify.ts";
import { isWebhookError } from "../webhook-error.ts";
import type { WebhookErrorCode } from "../webhook-error.ts";
import { bodyCandidates, keyCandidates } from "./candidates.ts";
import type { Candidate } from "./candidates.ts";
import { finding } from "./causes.ts";
import type { Finding } from "./causes.ts";
import { encodeUtf8 } from "./encodings.ts";
import {
  inspectBody,
  inspectEvent,
  inspectHeaders,
  inspectSecrets,
  inspectSignature,
  suspectBody,
  suspectSecret,
} from "./inspect.ts";
import type { Digest } from "./inspect.ts";

type Bytes = Uint8Array<ArrayBuffer>;
type SecretList = ReadonlyArray<string | undefined>;

/** Options of {@link explain}: those of `verify`, and secrets that may have been confused. */
export type ExplainOptions = VerifyOptions & {
  /**
   * Secrets of your other API keys, to detect that test and live are swapped. `undefined` entries
   * are skipped.
   *
   * @default []
   */
  readonly otherSecrets?: ReadonlyArray<string | undefined> | undefined;
};

/** Result of {@link explain}. It holds no secret, no digest and no part of a rejected body. */
export type Explanation =
  | {
      readonly ok: true;
      readonly event: TryOnEvent;
      /** Index in `secrets` of the secret that fits. */
      readonly secretIndex: number;
    }
  | {
      readonly ok: false;
      /** Code of the error that `verify` throws. */
      readonly code: WebhookErrorCode;
      /** Message of the error that `verify` throws. */
      readonly message: string;
      /** Causes, the certain ones first. Never empty. */
      readonly findings: readonly Finding[];
    };

/** Bytes that one explanation hashes at most. */
const maxHashedBytes = 268_435_456;

/**
 * Explains why `verify` rejects a delivery. If the signature does not fit, it tries each common
 * mistake with secret and body by itself, such as JSON that was serialized again, a secret with a
 * line break, or a digest in base64. It reads at most `maxBodyBytes` and hashes at most 256 MiB.
 *
 * Use it in tests, logs and on the command line. **Never send the result to the sender**: it would
 * help to forge a delivery.
 *
 * @throws An `Error` only if the runtime has no `crypto.subtle`.
 * @example
 * import { explain } from "@tryon/webhooks";
 *
 * const explanation = await explain({ body, headers, secrets, otherSecrets: [process.env.TEST_SECRET] });
 * if (!explanation.ok) {
 *   for (const { cause, message, fix } of explanation.findings) console.warn(cause, message, fix);
 * }
 */
export async function explain(options: ExplainOptions): Promise<Explanation> {
  const { body, otherSecrets = [], maxBodyBytes = defaultMaxBodyBytes } = options;
  const { maxAge = Infinity, now = Date.now } = options;
  const headers = readHeaders(options);
  const { secrets, secretsFailed } = await readSecrets(options.secrets);
  const { bytes, problem } = await readBytes(body, maxBodyBytes);
  const outcome = await safeVerify({
    // `verify` accepts values that its types forbid; without bytes its outcome is corrected below.
    body: bytes as Bytes,
    headers: (headers ?? {}) as WebhookHeaders,
    secrets: secretsFailed ? failingSource : (secrets as Secrets),
    maxBodyBytes,
    maxAge,
    now,
  });
  if (outcome.ok) return outcome;
  const { code, message } = outcome.code === "raw_body_required" && problem ? problem : outcome;
  const explained = (findings: readonly Finding[]) =>
    ({ ok: false, code, message, findings }) as const;
  switch (code) {
    case "missing_signature":
      return explained(inspectHeaders(headers));
    case "invalid_secret":
      return explained(
        secretsFailed ? [finding("secret_source_failed", true)] : inspectSecrets(secrets),
      );
    case "body_too_large":
      return explained([finding("body_too_large", true)]);
    case "invalid_json":
    case "invalid_event":
    case "header_mismatch":
    case "stale_event":
      return explained(inspectEvent(bytes ?? new Uint8Array(), headers, { maxAge, now }));
    case "raw_body_required":
    case "malformed_signature":
    case "multiple_signatures":
    case "signature_mismatch":
    case "duplicate_event":
  }
  const { findings: format, digest } = inspectSignature(headers);
  const { cause, parsed } = bytes === undefined ? inspectBody(body) : {};
  const known = cause === undefined ? format : [finding(cause, true)];
  const hashed = bytes ?? serialize(parsed);
  if (digest === undefined || hashed === undefined) return explained(known);
  const usable = secretsOrNone(secrets);
  const match = await findMistake(digest, usable, otherSecrets, hashed, maxBodyBytes);
  if (match === undefined) {
    const suspects = usable.flatMap((secret, at) =>
      secret === undefined ? [] : suspectSecret(secret, usable.length > 1 ? `secrets[${at}]` : ""),
    );
    const suspect = bytes === undefined ? [] : suspectBody(bytes, headers);
    return explained([...known, ...suspects, ...suspect, finding("nothing_fits", false)]);
  }
  if (cause === undefined) return explained([...known, ...match]);
  const more = match.filter((one) => !one.cause.startsWith("body_"));
  return explained([finding(cause, true, "the signature fits its JSON"), ...more]);
}

function readHeaders({ headers, body }: ExplainOptions): unknown {
  try {
    // Anything but an object throws, and has no headers.
    const given = (headers ?? (body as { headers?: unknown }).headers) as object;
    // Some iterables can be read only once.
    return Symbol.iterator in given ? [...(given as Iterable<unknown>)] : given;
  } catch {
    return undefined;
  }
}

async function readSecrets(source: ExplainOptions["secrets"]) {
  try {
    const secrets: unknown = typeof source === "function" ? await source() : source;
    return { secrets, secretsFailed: false };
  } catch {
    return { secrets: undefined, secretsFailed: true };
  }
}

function failingSource(): never {
  throw new Error("The function for the secrets failed.");
}

async function readBytes(body: unknown, maxBodyBytes: number) {
  try {
    return { bytes: await readBody(body, maxBodyBytes), problem: undefined };
  } catch (error) {
    if (!isWebhookError(error)) throw error;
    return { bytes: undefined, problem: error };
  }
}

/** Secrets were not checked yet if the signature is malformed. */
function secretsOrNone(secrets: unknown): SecretList {
  try {
    return usableSecrets(secrets);
  } catch {
    return [];
  }
}

function serialize(parsed: unknown): Bytes | undefined {
  try {
    return parsed === undefined ? undefined : encodeUtf8(JSON.stringify(parsed));
  } catch {
    return undefined;
  }
}

/** Finds the one mistake that explains a digest: none if it fits as it is, undefined if there is none. */
async function findMistake(
  digest: Digest,
  secrets: SecretList,
  otherSecrets: SecretList,
  bytes: Bytes,
  maxBodyBytes: number,
): Promise<readonly Finding[] | undefined> {
  let hashedBytes = 0;
  const fits = async (key: string | Bytes, value: Bytes): Promise<boolean> => {
    hashedBytes += value.length;
    return hashedBytes <= maxHashedBytes && hmacFits(digest, key, value);
  };
  const place = (at: number) => (secrets.length > 1 ? `secrets[${at}]` : "");
  for (const secret of secrets) {
    if (secret !== undefined && (await fits(secret, bytes))) return [];
  }
  for (const [at, secret] of otherSecrets.entries()) {
    // The types forbid other values, JavaScript does not.
    if (typeof secret !== "string" || secret.trim() === "") continue;
    if (!(await fits(secret, bytes)) && !(await fits(secret.trim(), bytes))) continue;
    return [finding("secret_of_other_key", true, `otherSecrets[${at}]`)];
  }
  for (const [at, secret] of secrets.entries()) {
    for (const one of secret === undefined ? [] : keyCandidates(secret)) {
      if (!one.value || one.value.length === 0 || one.value === secret) continue;
      if (await fits(one.value, bytes)) return found(one, place(at));
    }
  }
  for await (const one of bodyCandidates(bytes, maxBodyBytes)) {
    if (one.value === undefined) continue;
    const value = typeof one.value === "string" ? encodeUtf8(one.value) : one.value;
    for (const secret of secrets) {
      if (secret !== undefined && (await fits(secret, value))) return found(one, "");
    }
  }
  return undefined;
}

function found({ cause, detail }: Candidate, place: string): readonly Finding[] {
  return [finding(cause, true, [place, detail].filter((part) => part !== "").join(", "))];
}

async function hmacFits(digest: Digest, key: string | Bytes, bytes: Bytes): Promise<boolean> {
  const { subtle } = globalThis.crypto;
  const algorithm = { name: "HMAC", hash: digest.hash };
  const raw = typeof key === "string" ? encodeUtf8(key) : key;
  const imported = await subtle.importKey("raw", raw, algorithm, false, ["sign"]);
  return equalBytes(new Uint8Array(await subtle.sign(algorithm, imported, bytes)), digest.bytes);
}
