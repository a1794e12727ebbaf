import { readBody } from "../verification/body.ts";
import type { WebhookHeaders } from "../verification/header-values.ts";
import type { SecretSource, Secrets } from "../verification/secrets.ts";
import { defaultMaxBodyBytes } from "../verification/verify.ts";
import type { VerifyOptions, VerifyOutcome } from "../verification/verify.ts";
import { isWebhookError } from "../webhook-error.ts";
import type { WebhookError } from "../webhook-error.ts";

/** A delivery whose parts have been fetched once, so that they can be looked at again and again. */
export interface Delivery {
  /** What was given as the body. */
  readonly body: unknown;
  /** Its bytes, where they can be had. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined;
  /** Why they cannot. */
  readonly bodyProblem: WebhookError | undefined;
  readonly headers: unknown;
  /** What the source of the secrets gave. */
  readonly secrets: unknown;
  readonly secretsFailed: boolean;
  readonly maxBodyBytes: number;
  readonly maxAge: number;
  readonly now: () => number;
}

/** Fetches body and secrets once each; whatever fails is noted, and thrown by nobody. */
export async function openDelivery(options: VerifyOptions): Promise<Delivery> {
  const { body, maxBodyBytes = defaultMaxBodyBytes, maxAge = Infinity, now = Date.now } = options;
  const asked = await askSecrets(options.secrets);
  const read = await readBytes(body, maxBodyBytes);
  return { body, headers: headersOf(options), ...asked, ...read, maxBodyBytes, maxAge, now };
}

/** What `verify` is to be asked about a delivery that has been opened: the same as before. */
export function optionsOf(delivery: Delivery): VerifyOptions {
  const { bytes, headers, secrets, secretsFailed, maxBodyBytes, maxAge, now } = delivery;
  return {
    // Without bytes nothing is read any more, and the outcome is put right by `rightOutcome`. That
    // nothing is given, or no headers, the types forbid; verify() takes whatever it gets.
    body: bytes as Uint8Array,
    headers: (headers ?? {}) as WebhookHeaders,
    secrets: secretsFailed ? failingSource : (secrets as Secrets),
    maxBodyBytes,
    maxAge,
    now,
  };
}

/** Gives the reason why the body could not be read, in place of its not being there any more. */
export function rightOutcome(outcome: VerifyOutcome, { bodyProblem }: Delivery): VerifyOutcome {
  if (outcome.ok || outcome.code !== "raw_body_required" || !bodyProblem) return outcome;
  return { ok: false, code: bodyProblem.code, message: bodyProblem.message };
}

function failingSource(): never {
  throw new Error("It failed before.");
}

async function askSecrets(source: SecretSource) {
  try {
    const secrets: unknown = typeof source === "function" ? await source() : source;
    return { secrets, secretsFailed: false };
  } catch {
    return { secrets: undefined, secretsFailed: true };
  }
}

async function readBytes(body: unknown, maxBodyBytes: number) {
  try {
    return { bytes: await readBody(body, maxBodyBytes), bodyProblem: undefined };
  } catch (error) {
    if (!isWebhookError(error)) throw error;
    return { bytes: undefined, bodyProblem: error };
  }
}

function headersOf(options: VerifyOptions): unknown {
  try {
    return options.headers ?? (options.body as { headers?: unknown }).headers;
  } catch {
    // There is no body to have headers.
    return undefined;
  }
}
