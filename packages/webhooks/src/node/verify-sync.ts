import { createHmac } from "node:crypto";
import { isPromise, isSharedArrayBuffer } from "node:util/types";
import { bufferedBytes, checkLength } from "../verification/body.ts";
import type { NodeRequest } from "../verification/body.ts";
import type { TryOnEvent } from "../verification/event.ts";
import type { WebhookHeaders } from "../verification/header-values.ts";
import type { RawBody } from "../verification/body.ts";
import { secretsFailed, usableSecrets } from "../verification/secrets.ts";
import type { Secrets } from "../verification/secrets.ts";
import { bytesOfHex } from "../verification/signature.ts";
import { beginVerification } from "../verification/verification.ts";
import type { Verified } from "../verification/verification.ts";
import { defaultMaxBodyBytes } from "../verification/verify.ts";
import type { VerifyOptions, VerifyOutcome } from "../verification/verify.ts";
import { isWebhookError, WebhookError } from "../webhook-error.ts";

/** {@link Secrets}, or a function that returns them without a promise for each delivery. */
export type SyncSecretSource = Secrets | (() => Secrets);

/**
 * Request that holds its bytes: as `body`, or as `rawBody` of a Node request or a request of a
 * framework on Node.
 */
export type BufferedRequest =
  | (NodeRequest & {
      /** Raw bytes that the framework has kept. */
      readonly rawBody: RawBody;
    })
  | {
      /** Headers of the request. */
      readonly headers: WebhookHeaders;
      /** Raw bytes as they arrived. */
      readonly body: ArrayBuffer | ArrayBufferView;
    };

/** Delivery in memory, and options of its verification, as of `verify`. */
export type VerifySyncOptions = VerifyOptions<SyncSecretSource, BufferedRequest>;

/**
 * Verifies a delivery in memory like `verify`, without a promise, by `node:crypto`. The checks,
 * their order and the event are the same.
 *
 * @throws `WebhookError` with a `code` if the delivery or the secrets are invalid. Also
 * `raw_body_required` for an unread request, and `invalid_secret` for a function that returns a
 * promise.
 * @example
 * import { verifySync } from "@tryon/webhooks/node";
 *
 * app.post("/hook", express.raw({ type: "*\/*" }), (req, res) => {
 *   const event = verifySync({ body: req, secrets: process.env.TRYON_WEBHOOK_SECRET });
 *   queue.push(event);
 *   res.status(204).end();
 * });
 */
export function verifySync(options: VerifySyncOptions): TryOnEvent {
  return check(options).event;
}

/**
 * Verifies like {@link verifySync} and returns the outcome. It does not throw for an invalid
 * delivery or for missing secrets.
 *
 * @example
 * import { safeVerifySync } from "@tryon/webhooks/node";
 *
 * const outcome = safeVerifySync({ body, headers, secrets: process.env.TRYON_WEBHOOK_SECRET });
 * if (!outcome.ok) console.warn(outcome.code);
 */
export function safeVerifySync(options: VerifySyncOptions): VerifyOutcome {
  try {
    const { event, secretIndex } = check(options);
    return { ok: true, event, secretIndex };
  } catch (error) {
    if (!isWebhookError(error)) throw error;
    return { ok: false, code: error.code, message: error.message };
  }
}

function check(options: VerifySyncOptions): Verified {
  const { body, maxBodyBytes = defaultMaxBodyBytes } = options;
  const conclude = beginVerification(options);
  const secrets = resolveSecrets(options.secrets);
  const bytes = bodyBytes(body, maxBodyBytes);
  const digests = secrets.map((secret) =>
    secret === undefined ? undefined : hmacSha256(secret, bytes),
  );
  return conclude(bytes, digests);
}

function resolveSecrets(source: unknown): ReadonlyArray<string | undefined> {
  if (typeof source !== "function") return usableSecrets(source);
  let secrets: unknown;
  try {
    secrets = source();
    // An unhandled rejection would end the process.
    if (isPromise(secrets)) secrets.catch(() => {});
  } catch (cause) {
    throw secretsFailed(cause);
  }
  if (!isPromise(secrets)) return usableSecrets(secrets);
  throw new WebhookError(
    "invalid_secret",
    "The function `secrets` returned a promise. Use verify, which waits for it, or return the secrets.",
  );
}

/**
 * Returns the bytes of a body in memory. They are copied only if another thread could change them
 * between verification and parsing.
 */
function bodyBytes(body: unknown, maxBodyBytes: number): Uint8Array {
  let bytes: Uint8Array | undefined;
  let cause: unknown;
  try {
    bytes = bufferedBytes(body);
  } catch (error) {
    cause = error;
  }
  if (bytes === undefined) {
    throw new WebhookError(
      "raw_body_required",
      'The body is not bytes: it was parsed, or is not read yet. For an unread request, use verify, which reads it. Express: express.raw({ type: "*/*" }) before express.json(). Fastify: parseAs: "buffer".',
      cause === undefined ? undefined : { cause },
    );
  }
  checkLength(bytes.byteLength, maxBodyBytes);
  return isSharedArrayBuffer(bytes.buffer) ? bytes.slice() : bytes;
}

function hmacSha256(secret: string, bytes: Uint8Array): Uint8Array {
  // Node returns text faster than a buffer.
  return bytesOfHex(createHmac("sha256", secret).update(bytes).digest("hex"));
}
