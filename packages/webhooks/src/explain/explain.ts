import { readBody } from "../verification/body.ts";
import { headerPairs } from "../verification/header-values.ts";
import type { HeaderPairs, WebhookHeaders } from "../verification/header-values.ts";
import { problemOf } from "../verification/secrets.ts";
import { equalBytes } from "../verification/signature.ts";
import { defaultMaxBodyBytes, safeVerify } from "../verification/verify.ts";
import type { VerifyOptions, VerifyOutcome } from "../verification/verify.ts";
import type { WebhookError, WebhookErrorCode } from "../webhook-error.ts";
import { bodyCandidates, keyCandidates } from "./candidates.ts";
import { finding } from "./causes.ts";
import type { Cause, Finding } from "./causes.ts";
import { encodeUtf8 } from "./encodings.ts";
import type { Bytes } from "./encodings.ts";
import {
  inspectBody,
  inspectHeaders,
  inspectSecrets,
  inspectSignature,
  suspectBody,
  suspectSecret,
} from "./inspect.ts";

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

/**
 * Result of {@link explain}: the outcome of `safeVerify`, and the findings for a rejected delivery.
 * It holds no secret, no digest and no part of a rejected body.
 */
export type Explanation =
  | Extract<VerifyOutcome, { ok: true }>
  | (Extract<VerifyOutcome, { ok: false }> & {
      /** Causes, the certain ones first. Never empty. */
      readonly findings: readonly Finding[];
    });

const maxHashedBytes = 268_435_456;

/**
 * Explains why `verify` rejects a delivery. If the signature does not fit, it tries each common
 * mistake with secret and body by itself, such as JSON that was serialized again, a secret with a
 * line break, or a digest in base64. It reads at most `maxBodyBytes` and hashes at most 256 MiB.
 *
 * Use it in tests, logs and on the command line. **Never send the result to the sender**: it would
 * help to forge a delivery.
 *
 * @throws `Error` only if the runtime has no `crypto.subtle`, or for an unknown option.
 * @example
 * import { explain } from "@tryon/webhooks";
 *
 * const explanation = await explain({ body, headers, secrets, otherSecrets: [process.env.TEST_SECRET] });
 * if (!explanation.ok) {
 *   for (const { cause, message, fix } of explanation.findings) console.warn(cause, message, fix);
 * }
 */
export async function explain(options: ExplainOptions): Promise<Explanation> {
  const { otherSecrets: _other, ...delivery } = options;
  const { body, secrets: source, maxBodyBytes = defaultMaxBodyBytes } = delivery;
  const headers = headerPairs(options, /./);
  const called = typeof source === "function" ? (async () => source())() : undefined;
  const secrets: unknown = called === undefined ? source : await called.catch(() => source);
  const read = await readBody(body, maxBodyBytes).catch((error: WebhookError) => error);
  const bytes = read instanceof Error ? undefined : read;
  const outcome = await safeVerify({
    ...delivery,
    // `verify` accepts values that its types forbid; without bytes its outcome is corrected below.
    body: bytes as Bytes,
    // In a list, a value that is a list stays one.
    headers: headers.map(([name, value]) => [name, [value]]) as unknown as WebhookHeaders,
    secrets: called === undefined ? source : () => called,
  });
  if (outcome.ok) return outcome;
  const { code, message } =
    outcome.code === "raw_body_required" && read instanceof Error ? read : outcome;
  const findings = await findCauses(code, options, headers, secrets, bytes);
  return { ok: false, code, message, findings };
}

const onlyCauses: Partial<Record<WebhookErrorCode, Cause>> = {
  body_too_large: "body_too_large",
  invalid_json: "json_invalid",
  invalid_event: "event_field",
  header_mismatch: "header_differs",
  stale_event: "time_too_old",
};

async function findCauses(
  code: WebhookErrorCode,
  { body, otherSecrets = [], maxBodyBytes = defaultMaxBodyBytes }: ExplainOptions,
  headers: HeaderPairs,
  secrets: unknown,
  bytes: Bytes | undefined,
): Promise<readonly Finding[]> {
  const cause = code === "raw_body_required" ? inspectBody(body) : onlyCauses[code];
  if (cause !== undefined) return [finding(cause, true)];
  if (code === "missing_signature") return inspectHeaders(headers);
  if (code === "invalid_secret") return inspectSecrets(secrets);
  const { findings, digest } = inspectSignature(headers);
  if (digest === undefined || bytes === undefined) return findings;
  const list = [secrets].flat();
  // Secrets were not checked yet if the signature is malformed.
  const usable = list.flatMap((given, at) => {
    if (typeof given !== "string" || problemOf(given) !== undefined) return [];
    const secret = given.trim();
    return [{ secret, key: encodeUtf8(secret), place: list.length > 1 ? `secrets[${at}]` : "" }];
  });
  let hashedBytes = 0;
  const fits = async (key: Bytes | undefined, value: Bytes): Promise<boolean> => {
    // An empty key cannot be imported.
    if (!key?.length) return false;
    hashedBytes += value.length;
    return hashedBytes <= maxHashedBytes && hmacFits(digest, key, value);
  };
  for (const { key } of usable) if (await fits(key, bytes)) return findings;
  for (const [at, other] of otherSecrets.entries()) {
    // The types forbid other values, JavaScript does not.
    if (typeof other !== "string") continue;
    for (const text of [other, other.trim()]) {
      if (await fits(encodeUtf8(text), bytes))
        return [...findings, finding("secret_of_other_key", true, `otherSecrets[${at}]`)];
    }
  }
  for (const { secret, place } of usable) {
    for (const { value, ...mistake } of keyCandidates(secret)) {
      if (await fits(value, bytes))
        return [...findings, finding(mistake.cause, true, place, mistake.detail)];
    }
  }
  for await (const { value, ...mistake } of bodyCandidates(bytes, maxBodyBytes)) {
    if (value === undefined) continue;
    for (const { key } of usable) {
      if (await fits(key, value))
        return [...findings, finding(mistake.cause, true, mistake.detail)];
    }
  }
  const suspects = usable.flatMap(({ secret, place }) => suspectSecret(secret, place));
  return [...findings, ...suspects, ...suspectBody(bytes, headers), finding("nothing_fits", false)];
}

async function hmacFits(digest: Bytes, key: Bytes, bytes: Bytes): Promise<boolean> {
  const { subtle } = globalThis.crypto;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await subtle.importKey("raw", key, algorithm, false, ["sign"]);
  return equalBytes(new Uint8Array(await subtle.sign(algorithm, imported, bytes)), digest);
}
