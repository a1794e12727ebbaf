import { readBody, type FetchRequest, type NodeRequest, type RawBody } from "./body.ts";
import type { TryOnEvent } from "./event.ts";
import type { WebhookHeaders } from "./header-values.ts";
import { resolveSecrets, type SecretSource } from "./secrets.ts";
import { beginVerification, type Verified } from "./verification.ts";
import { hmacSha256 } from "./hmac-sha256.ts";
import { isWebhookError, type WebhookErrorCode } from "../webhook-error.ts";

export const defaultMaxBodyBytes = 1_048_576;

/** Options of {@link verify} without the delivery. */
export interface VerifySettings<Source = SecretSource> {
  /**
   * Webhook secret that was shown when the API key was created, with its `whsec_` prefix. Pass an
   * array to replace a secret, or a function, called once per delivery, that returns either.
   * `undefined` entries are skipped. All others are tried every time.
   */
  readonly secrets: Source;

  /**
   * Maximum length of a body in bytes. An event has well under 10,000.
   *
   * @default 1_048_576 (1 MiB)
   */
  readonly maxBodyBytes?: number | undefined;

  /**
   * Maximum age of the signed `completed_at`, in milliseconds or as a string such as `"5m"`. An event of any kind without that
   * field is rejected. With its retries the service may send an event up to a minute after the end
   * of a job, so allow some minutes. A recorded delivery that is sent again within this age is
   * accepted: to reject it, store the handled events.
   *
   * @default Infinity (any age)
   */
  readonly maxAge?: number | string | undefined;

  /**
   * Returns the current time for `maxAge`, in milliseconds since 1970.
   *
   * @default Date.now
   */
  readonly now?: (() => number) | undefined;
}

/** Delivery, and options of its verification. A request as `body` has its own headers. */
export type VerifyOptions<
  Source = SecretSource,
  AnyRequest = FetchRequest | NodeRequest,
> = VerifySettings<Source> &
  (
    | {
        /** Raw bytes as they arrived, or text that was decoded from valid UTF-8. */
        readonly body: RawBody;
        /** Headers of the request. */
        readonly headers: WebhookHeaders;
      }
    | {
        /**
         * Unread request. `verify` reads it: pass `request.clone()` to keep it. If a framework has
         * kept the bytes, as `rawBody` or `body`, they are used. `verifySync` requires them.
         */
        readonly body: AnyRequest;
        /**
         * Headers, if they differ from those of the request.
         *
         * @default the headers of `body`
         */
        readonly headers?: WebhookHeaders | undefined;
      }
  );

/** Outcome of {@link safeVerify}. */
export type VerifyOutcome =
  | {
      /** If true, the delivery is valid. */
      readonly ok: true;
      /** Event that the service has signed. */
      readonly event: TryOnEvent;
      /** Index in `secrets` of the matching secret, including skipped entries. */
      readonly secretIndex: number;
    }
  | {
      /** If true, the delivery is valid. */
      readonly ok: false;
      /** Reason of the rejection, for programs. It does not change with the message. */
      readonly code: WebhookErrorCode;
      /** Reason and fix. It contains no header, no part of the body and no secret. */
      readonly message: string;
    };

/**
 * Verifies a delivery of the service and returns its event. The signature is an HMAC-SHA256 (RFC
 * 2104) of the raw body, keyed by the webhook secret and sent as `X-Service-Signature`. It is
 * compared in constant time, before the body is decoded or parsed.
 *
 * The order of the checks: header, secrets, body, signature, JSON (RFC 8259), event, the other
 * headers, age. A signature proves the sender of an event, not that the event is new: the service
 * may deliver an event several times.
 *
 * @throws {@link WebhookError} with a `code` if the delivery or the secrets are invalid, `TypeError`
 * for an unknown option.
 * @example
 * import { verify } from "@tryon/webhooks";
 *
 * export async function POST(request: Request) {
 *   const event = await verify({ body: request, secrets: process.env.TRYON_WEBHOOK_SECRET });
 *   if (event.status === "succeeded") await save(event.job_id, event.result_url);
 *   if (event.status === "failed") await saveFailure(event.job_id, event.error_code);
 *   return new Response(null, { status: 204 });
 * }
 */
export async function verify(options: VerifyOptions): Promise<TryOnEvent> {
  return (await check(options)).event;
}

/**
 * Verifies like {@link verify} and returns the outcome. It does not throw for an invalid delivery
 * or for missing secrets.
 *
 * @throws `Error` if the runtime has no `crypto.subtle`, `TypeError` for an unknown option.
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
  const { body, maxBodyBytes = defaultMaxBodyBytes } = options;
  const conclude = beginVerification(options);
  const secrets = await resolveSecrets(options.secrets);
  const bytes = await readBody(body, maxBodyBytes);
  const digests = secrets.map(async (secret) =>
    secret === undefined ? undefined : hmacSha256(secret, bytes),
  );
  return conclude(bytes, await Promise.all(digests));
}
