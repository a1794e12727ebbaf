import { bufferedBody } from "./buffered-body.ts";
import { hmacSha256 } from "./node-crypto.ts";
import { resolveSecretsSync } from "./resolve-secrets-sync.ts";
import type { SyncSecretSource } from "./resolve-secrets-sync.ts";
import type { NodeRequest } from "../verification/body.ts";
import type { TryOnEvent } from "../verification/event.ts";
import type { WebhookHeaders } from "../verification/header-values.ts";
import type { RawBody } from "../verification/raw-bytes.ts";
import { beginVerification } from "../verification/verification.ts";
import type { Verified } from "../verification/verification.ts";
import { defaultMaxBodyBytes } from "../verification/verify.ts";
import type { VerifyOutcome, VerifySettings } from "../verification/verify.ts";
import { isWebhookError } from "../webhook-error.ts";

/** What {@link verifySync} goes by besides the delivery itself. */
export interface VerifySyncSettings extends Omit<VerifySettings, "secrets"> {
  /**
   * The webhook secret that was shown when the API key was created: all of it, its `whsec_` prefix
   * included. A list while a secret is being replaced, or a function, called once per delivery,
   * that gives either at once. `undefined` entries are skipped; all others are tried, always.
   */
  readonly secrets: SyncSecretSource;
}

/**
 * A request whose body was read already, and that holds its bytes: as `body`, or as `rawBody` of a
 * request of Node or of a framework on it.
 */
export type BufferedRequest =
  | (NodeRequest & { readonly rawBody: RawBody })
  | { readonly headers: WebhookHeaders; readonly body: ArrayBuffer | ArrayBufferView };

/** A delivery that is in memory, and how to verify it. */
export type VerifySyncOptions = VerifySyncSettings &
  (
    | {
        /** The raw bytes, as they arrived, or text that was decoded from valid UTF-8. */
        readonly body: RawBody;
        /** The headers of the request. */
        readonly headers: WebhookHeaders;
      }
    | {
        /** The request, with its bytes. One that is not read yet is for `verify`, which reads it. */
        readonly body: BufferedRequest;
        /**
         * The headers, if they are not those of the request.
         *
         * @default the headers of `body`
         */
        readonly headers?: WebhookHeaders | undefined;
      }
  );

/**
 * The same as `verify`, at once: by `node:crypto`, for a body that is in memory. What is accepted,
 * what is refused, the order of the checks and the event are those of `verify`.
 *
 * @throws `WebhookError` with a `code`, for whatever is wrong with the delivery or the
 * secrets; `raw_body_required` also for a request that is not read yet, `invalid_secret` also for a
 * function that gives a promise.
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
 * The same as {@link verifySync}, with the outcome as a value: nothing that a sender can do makes
 * it throw, nor do secrets that are missing.
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
  const { body, maxBodyBytes = defaultMaxBodyBytes, maxAge = Infinity, now = Date.now } = options;
  const conclude = beginVerification(options, maxAge, now);
  const secrets = resolveSecretsSync(options.secrets);
  const bytes = bufferedBody(body, maxBodyBytes);
  const digests = secrets.map((secret) =>
    secret === undefined ? undefined : hmacSha256(secret, bytes),
  );
  return conclude(bytes, digests);
}
