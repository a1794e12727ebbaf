import type { VerifyOptions } from "../../src/verification/verify.ts";
import { signatureOf } from "../explained.ts";
import type { Choices } from "./choices.ts";
import {
  createEvent,
  createSecret,
  epoch,
  forgeSignature,
  mutateEvent,
  serialize,
} from "./delivery.ts";
import {
  otherType,
  throwHostile,
  bufferedBody,
  headersInput,
  invalidBody,
  invalidHeaders,
  streamedBody,
} from "./forms.ts";
import type { Header, Input } from "./forms.ts";
import { mutateBytes } from "./mutate-bytes.ts";
import { mutateSignature } from "./mutate-signature.ts";
import { expectedOutcome } from "./oracle.ts";

/** Parts of a delivery that can be changed. The others are as the service sends them. */
const parts = [
  "event",
  "signed bytes",
  "key",
  "body",
  "invalid body",
  "signature",
  "other headers",
  "invalid headers",
  "secrets",
  "maxBodyBytes",
  "maxAge",
] as const;

const blankSecrets = ["", " ", "\t\r\n", "\u00a0", "\u3000\ufeff", "undefined", " null\n"];

/** Secrets of a receiver. The content is `undefined` if the source has no list of secrets. */
function secretsInput(
  secret: string,
  mutated: boolean,
  choices: Choices,
): Input<readonly unknown[] | undefined> {
  const list: unknown[] = [secret];
  for (let others = choices.pick([0, 0, 0, 1, 1, 2]); others > 0; others -= 1) {
    const other = choices.pick([undefined, createSecret(choices), secret]);
    list.splice(choices.below(list.length + 1), 0, other);
  }
  if (mutated) {
    // Another test rejects any value as the source of secrets.
    if (choices.oneIn(20)) return { value: throwHostile, content: undefined };
    const wrong = choices.pick<unknown>([
      createSecret(choices),
      secret.trim(),
      `${secret}\n`,
      secret.slice(0, -1) || "l",
      secret.toUpperCase(),
      undefined,
      null,
      choices.pick(blankSecrets),
      otherType(secret, choices),
    ]);
    if (choices.oneIn(2)) list.splice(list.indexOf(secret), 1, wrong);
    else list.push(wrong);
    if (choices.oneIn(20)) list.length = 0;
  }
  const given: unknown =
    list.length === 1 && typeof list[0] === "string" && choices.oneIn(2) ? list[0] : list;
  return { value: choices.oneIn(4) ? () => given : given, content: list };
}

/** Values of an unsigned header: none, the signed value or others. */
function unsignedHeader(
  signed: string | null,
  mutated: boolean,
  choices: Choices,
): readonly unknown[] {
  if (!mutated) return signed === null || choices.oneIn(2) ? [] : [signed];
  const text = signed ?? "job_1";
  return choices.pick<readonly unknown[]>([
    [],
    [text],
    [text, text],
    [text, "other"],
    [text.toUpperCase()],
    [` ${text}`],
    [`${text}\n`],
    [""],
    [otherType(text, choices)],
  ]);
}

/**
 * Creates a valid delivery, and then changes none to four of its parts.
 *
 * @returns the options of its verification, the outcome that it must have, and the changed parts for messages.
 */
export function createTrial(choices: Choices, streams: boolean) {
  const count = choices.pick([0, 1, 1, 1, 1, 1, 2, 2, 3, 4]);
  const changes = new Set(Array.from({ length: count }, () => choices.pick(parts)));
  const has = (part: (typeof parts)[number]): boolean => changes.has(part);
  const secret = createSecret(choices);
  const valid = createEvent(choices);
  const event = has("event") ? mutateEvent(valid, choices) : valid;
  const written = serialize(event, choices);
  const signed = has("signed bytes") ? mutateBytes(written, choices) : written;
  const signature = has("key")
    ? forgeSignature(signed, secret, choices)
    : signatureOf(signed, secret);
  const arrived = has("body") ? mutateBytes(signed, choices) : signed;
  // A changed event may not have the values of these headers any more.
  const unchanged = event === valid && !has("signed bytes");
  const unsigned = (name: string): readonly unknown[] =>
    unsignedHeader(unchanged ? String(valid[name]) : null, has("other headers"), choices);
  const headers: Header[] = [
    ["x-service-event", unsigned("event")],
    ["x-service-job-id", unsigned("job_id")],
    ["x-service-signature", has("signature") ? mutateSignature(signature, choices) : [signature]],
  ];
  const secrets = secretsInput(secret, has("secrets"), choices);
  const { length } = arrived;
  const sizes = [length, length - 1, length + 1, length + 0.5, 0, -1, Infinity, Number.NaN];
  const maxBodyBytes = has("maxBodyBytes") ? choices.pick(sizes) : undefined;
  const maxAge = has("maxAge") ? choices.pick([0, 1, 300_000, Infinity]) : undefined;
  const ended = Date.parse(String(valid["completed_at"]));
  const age = choices.pick([0, 1, -1, 300_000, 300_001, 4e6, -4e6, Number.NaN]);
  const now = (Number.isNaN(ended) ? epoch : ended) + age;
  const given = (has("invalid headers") ? invalidHeaders : headersInput)(headers, choices);
  const valuesOf = (name: string) => given.content.find(([other]) => other === name)?.[1] ?? [];
  let body: Input<Buffer | undefined>;
  if (has("invalid body")) body = invalidBody(arrived, choices);
  else if (!streams) body = bufferedBody(arrived, choices);
  // Beyond maxBodyBytes, an aborted body is too large or aborted, depending on its chunks.
  else body = streamedBody(arrived, !has("maxBodyBytes"), choices);
  const expected = expectedOutcome({
    signatures: valuesOf("x-service-signature"),
    kinds: valuesOf("x-service-event"),
    jobIds: valuesOf("x-service-job-id"),
    secrets: secrets.content,
    bytes: body.content,
    maxBodyBytes: maxBodyBytes ?? 1_048_576,
    maxAge: maxAge ?? Infinity,
    now,
  });
  const onRequest =
    body.content !== undefined && choices.oneIn(2) && setHeaders(body.value, given.value);
  // JavaScript can pass values of every type.
  const options = {
    body: body.value,
    headers: onRequest ? undefined : given.value,
    secrets: secrets.value,
    maxBodyBytes,
    maxAge,
    now: () => now,
  } as VerifyOptions;
  return { options, expected, changed: [...changes].join(", ") || "nothing" };
}

function setHeaders(body: unknown, headers: unknown): boolean {
  if (typeof body !== "object" || body === null || !("headers" in body)) return false;
  Object.defineProperty(body, "headers", { value: headers });
  return true;
}
