import type { TryOnEvent } from "../verification/event.ts";
import { usableSecrets } from "../verification/secrets.ts";
import { safeVerify } from "../verification/verify.ts";
import type { VerifyOptions } from "../verification/verify.ts";
import type { WebhookErrorCode } from "../webhook-error.ts";
import { inspectBody } from "./body-variants.ts";
import type { Finding, CauseFinding } from "./cause.ts";
import { openDelivery, optionsOf, rightOutcome } from "./delivery.ts";
import type { Delivery } from "./delivery.ts";
import { encodeUtf8 } from "./encodings.ts";
import { mostTried, search } from "./search.ts";
import type { SearchResult } from "./search.ts";
import { inspectSecret } from "./secret-variants.ts";
import { inspectEvent } from "./inspect-event.ts";
import { givenSignature, missingSignature } from "./inspect-headers.ts";
import { inspectSecrets, unreadableBody } from "./inspect-secrets.ts";
import type { Target } from "./signature-reading.ts";
import { findingOf } from "./messages.ts";

/** What {@link explain} takes: what `verify` takes, and secrets that may have been mixed up. */
export type ExplainOptions = VerifyOptions & {
  /**
   * Secrets that should not fit, such as those of your other API keys: if one does, test and live
   * are swapped. `undefined` entries are skipped.
   *
   * @default none
   */
  readonly otherSecrets?: ReadonlyArray<string | undefined> | undefined;
};

/** What {@link explain} gives. It holds no secret, no signature and no part of a refused body. */
export type Explanation =
  | {
      readonly ok: true;
      readonly event: TryOnEvent;
      /** The position in `secrets` of the one that fits. */
      readonly secretIndex: number;
    }
  | {
      readonly ok: false;
      /** What `verify` says. */
      readonly code: WebhookErrorCode;
      /** What `verify` says, in words. */
      readonly message: string;
      /** What is amiss, the surest first. */
      readonly findings: readonly Finding[];
      /** How many combinations of secret and body were held against the signature. */
      readonly tried: number;
    };

/**
 * Says why a delivery is refused: verifies it as `verify` does and, where the signature does not
 * fit, undoes what commonly goes wrong with secret, body and header until it does. JSON that was
 * parsed and written anew, a secret with a line break, base64 in place of hexadecimal and
 * two dozen others, two at a time too. At most 20,000 combinations or 256 MiB are hashed, whichever
 * comes first, and no more than `maxBodyBytes` are read.
 *
 * For the eye of a developer, in a test, a log or at a terminal. **Never put it into an HTTP
 * answer**: it tells a forger what to mend. Nothing in this package does so by itself.
 *
 * @throws An `Error` only where the runtime has no `crypto.subtle`.
 * @example
 * import { explain } from "@tryon/webhooks";
 *
 * const explanation = await explain({ body, headers, secrets, otherSecrets: [process.env.TEST_SECRET] });
 * if (!explanation.ok) {
 *   for (const { cause, message, fix } of explanation.findings) console.warn(cause, message, fix);
 * }
 */
export async function explain(options: ExplainOptions): Promise<Explanation> {
  const delivery = await openDelivery(options);
  const outcome = rightOutcome(await safeVerify(optionsOf(delivery)), delivery);
  if (outcome.ok) return outcome;
  const { code, message } = outcome;
  const found = await investigations[code]?.(delivery, options.otherSecrets ?? []);
  const { findings = [], tried = 0 } = found ?? {};
  return { ok: false, code, message, findings, tried };
}

interface Found {
  readonly findings: readonly Finding[];
  readonly tried?: number;
}

type Others = ReadonlyArray<string | undefined>;

type Investigation = (delivery: Delivery, others: Others) => Found | Promise<Found>;

const investigations: Readonly<Partial<Record<WebhookErrorCode, Investigation>>> = {
  missing_signature: (delivery) => ({ findings: proven(missingSignature(delivery)) }),
  malformed_signature: mismatch,
  multiple_signatures: mismatch,
  signature_mismatch: mismatch,
  invalid_secret: (delivery) => ({ findings: proven(inspectSecrets(delivery)) }),
  raw_body_required: unread,
  body_too_large: () => ({ findings: proven([{ cause: "body_too_long" }]) }),
  invalid_json: signed,
  invalid_event: signed,
  header_mismatch: signed,
  stale_event: signed,
};

function signed(delivery: Delivery): Found {
  return { findings: proven(inspectEvent(delivery)) };
}

async function mismatch(delivery: Delivery, others: Others): Promise<Found> {
  const { causes, target } = givenSignature(delivery);
  const shape = proven(causes.map((cause) => ({ cause })));
  if (target === undefined || delivery.bytes === undefined) return { findings: shape };
  const { troubles, tried } = await fitting(delivery, others, target, delivery.bytes);
  if (troubles !== undefined) return { findings: [...shape, ...proven(troubles)], tried };
  return { findings: [...shape, ...seen(delivery), nothingFits(tried)], tried };
}

/** A body that was parsed still tells whether secret and signature are right. */
async function unread(delivery: Delivery, others: Others): Promise<Found> {
  const { trouble, parsed } = unreadableBody(delivery.body);
  const { target } = givenSignature(delivery);
  const text = parsed === undefined ? undefined : textOf(parsed);
  if (target === undefined || text === undefined) return { findings: proven([trouble]) };
  const { troubles, tried } = await fitting(delivery, others, target, encodeUtf8(text));
  if (troubles === undefined) {
    return { findings: [...proven([trouble]), nothingFits(tried)], tried };
  }
  const rest = troubles.filter(({ cause }) => !cause.startsWith("body_"));
  const detail = "the signature fits its JSON when that is written anew";
  return { findings: proven([{ ...trouble, detail }, ...rest]), tried };
}

async function fitting(
  delivery: Delivery,
  otherSecrets: Others,
  target: Target,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<SearchResult> {
  const secrets = usableOrNone(delivery);
  const { maxBodyBytes } = delivery;
  return search({ target, secrets, otherSecrets, bytes, maxBodyBytes });
}

/** Where the header was refused, nobody has looked at the secrets yet. */
function usableOrNone({ secrets }: Delivery): ReadonlyArray<string | undefined> {
  try {
    return usableSecrets(secrets);
  } catch {
    return [];
  }
}

function textOf(parsed: unknown): string | undefined {
  try {
    return JSON.stringify(parsed);
  } catch {
    return undefined;
  }
}

function seen(delivery: Delivery): readonly Finding[] {
  const secrets = usableOrNone(delivery);
  const troubles: CauseFinding[] = [];
  for (const [at, secret] of secrets.entries()) {
    const detail = secrets.length > 1 ? `secrets[${at}]` : undefined;
    const causes = secret === undefined ? [] : inspectSecret(secret);
    for (const cause of causes) troubles.push({ cause, detail });
  }
  for (const cause of inspectBody(delivery.bytes ?? new Uint8Array())) troubles.push({ cause });
  return troubles.map((trouble) => findingOf(trouble, false));
}

function nothingFits(tried: number): Finding {
  const bound = tried >= mostTried ? ", which is the bound" : "";
  const detail = `${tried} combinations: secret padded, cut, encoded or another's; body written anew, in another charset, packed or trimmed${bound}`;
  return findingOf({ cause: "nothing_fits", detail }, false);
}

function proven(troubles: readonly CauseFinding[]): readonly Finding[] {
  return troubles.map((trouble) => findingOf(trouble, true));
}
