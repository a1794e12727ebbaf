import { readBody } from "./body.ts";
import type { NodeRequest } from "./body.ts";
import type { TryOnEvent } from "./event.ts";
import type { WebhookHeaders } from "./header-values.ts";
import type { RawBody } from "./raw-bytes.ts";
import { resolveSecrets } from "./secrets.ts";
import type { SecretSource } from "./secrets.ts";
import { beginVerification } from "./verification.ts";
import type { Verified } from "./verification.ts";
import { hmacSha256 } from "./web-crypto.ts";
import { isWebhookError } from "../webhook-error.ts";
import type { WebhookErrorCode } from "../webhook-error.ts";

export const defaultMaxBodyBytes = 1_048_576;

/** What {@link verify} goes by besides the delivery itself. */
export interface VerifySettings {
  /**
   * The webhook secret that was shown when the API key was created: all of it, its `whsec_` prefix
   * included. A list while a secret is being replaced, or a function, called once per delivery,
   * that gives either. `undefined` entries are skipped; all others are tried, always.
   */
  readonly secrets: SecretSource;

  /**
   * The longest body that is read, in bytes. An event has well under 10,000.
   *
   * @default 1_048_576 (1 MiB)
   */
  readonly maxBodyBytes?: number | undefined;

  /**
   * Maximum age of the signed `completed_at`, in milliseconds. Applies to events of every kind; one
   * without that field is refused. With its retries the service may send up to a minute after the
   * end of a job: allow some minutes. A recorded delivery that is sent again within this age passes:
   * only remembering the event refuses it.
   *
   * @default Infinity (any age)
   */
  readonly maxAge?: number | undefined;

  /**
   * The time that `maxAge` counts from, in milliseconds since 1970.
   *
   * @default Date.now
   */
  readonly now?: (() => number) | undefined;
}

/** A delivery, and how to verify it. A request given as `body` brings its headers along. */
export type VerifyOptions = VerifySettings &
  (
    | {
        /** The raw bytes, as they arrived, or text that was decoded from valid UTF-8. */
        readonly body: RawBody;
        /** The headers of the request. */
        readonly headers: WebhookHeaders;
      }
    | {
        /**
         * The request, its body not yet read: it is read here, so pass `request.clone()` to keep it.
         * Where a framework has kept the bytes, as `rawBody` or `body`, those are taken.
         */
        readonly body: Request | NodeRequest;
        /**
         * The headers, if they are not those of the request.
         *
         * @default the headers of `body`
         */
        readonly headers?: WebhookHeaders | undefined;
      }
  );

/** What {@link safeVerify} gives. */
export type VerifyOutcome =
  | {
      readonly ok: true;
      readonly event: TryOnEvent;
      /** The position in `secrets` of the one that fits, skipped entries counted; 0 for a single one. */
      readonly secretIndex: number;
    }
  | {
      readonly ok: false;
      readonly code: WebhookErrorCode;
      /** What was wrong and what to do. Holds no header, no part of the body and no secret. */
      readonly message: string;
    };

/**
 * Verifies a delivery of the service and gives its event. The signature is an HMAC-SHA256 (RFC
 * 2104) of the raw body, keyed by the webhook secret and sent as `X-Service-Signature`; it is
 * computed over bytes and compared in constant time, before anything is decoded or parsed.
 *
 * Checked in this order: header, secrets, body, signature, JSON (RFC 8259), event, the other
 * headers, age. A signature proves who made an event but not that it is the first of its kind: the
 * service may deliver one several times.
 *
 * @throws {@link WebhookError} with a `code`, for whatever is wrong with the delivery or the secrets.
 * @example
 * import { verify } from "@tryon/webhooks";
 *
 * export async function POST(request: Request) {
 *   const event = await verify({ body: request, secrets: process.env.TRYON_WEBHOOK_SECRET });
 *   if (event.status === "succeeded") await save(event.job_id, event.result_url);
 *   if (event.status === "failed") await giveUp(event.job_id, event.error_code);
 *   return new Response(null, { status: 204 });
 * }
 */
export async function verify(options: VerifyOptions): Promise<TryOnEvent> {
  return (await check(options)).event;
}

/**
 * The same as {@link verify}, with the outcome as a value: nothing that a sender can do makes it
 * throw, nor do secrets that are missing.
 *
 * @throws An `Error` only where the runtime has no `crypto.subtle`.
 * @example
 * import { safeVerify } from "@tryon/webhooks";
 *
 * const secrets = [process.env.NEW_SECRET, process.env.OLD_SECRET];
 * const outcome = await safeVerify({ body, headers, secrets });
 * if (!outcome.ok) console.warn(outcome.code);
 * else if (outcome.secretIndex === 1) console.warn("The old secret is still in use");
 */
export async function safeVerify(options: VerifyOptions): Promise<VerifyOutcome> {
  try {
    const { event, secretIndex } = await check(options);
    return { ok: true, event, secretIndex };
  } catch (error) {
    if (!isWebhookError(error)) throw error;
    return { ok: false, code: error.code, message: error.message };
  }
}

export async function check(options: VerifyOptions): Promise<Verified<Uint8Array<ArrayBuffer>>> {
  const { body, maxBodyBytes = defaultMaxBodyBytes, maxAge = Infinity, now = Date.now } = options;
  const conclude = beginVerification(options, maxAge, now);
  const secrets = await resolveSecrets(options.secrets);
  const bytes = await readBody(body, maxBodyBytes);
  const digests = secrets.map(async (secret) =>
    secret === undefined ? undefined : hmacSha256(secret, bytes),
  );
  return conclude(bytes, await Promise.all(digests));
}
