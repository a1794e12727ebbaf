import type { VerifyOptions } from "../../src/verification/verify.ts";
import { epoch, eventOf, forged, mutateEvent, secretOf, signatureOf, written } from "./delivery.ts";
import { brokenHeaders, bytesAs, headersAs, noBytes } from "./forms.ts";
import type { Handed, Header } from "./forms.ts";
import { mutateBytes } from "./mutate-bytes.ts";
import { mutateSignature } from "./mutate-signature.ts";
import { judge } from "./oracle.ts";
import type { Verdict } from "./oracle.ts";
import { randomOf } from "./random.ts";
import type { Random } from "./random.ts";

/** Something to verify, and what has to come of it. */
export interface Trial {
  readonly options: VerifyOptions;
  readonly expected: Verdict;
  /** What is not as the service sends it, in words, to look at where the trial fails. */
  readonly changed: string;
}

/** Hands over bytes that are still to be read; all of them where `whole`, otherwise maybe none. */
export type BodyForm = (
  bytes: Buffer,
  random: Random,
  whole: boolean,
) => Handed<Buffer | undefined>;

/** What can be changed in a delivery. What is left alone is as the service sends it. */
const parts = [
  "event",
  "signed",
  "key",
  "body",
  "no bytes",
  "signature",
  "other headers",
  "no headers",
  "secrets",
  "bound",
  "age",
] as const;
type Part = (typeof parts)[number];

/** Nothing now and then, one thing mostly, and up to four. */
function changesOf(random: Random): ReadonlySet<Part> {
  const many = random.pick([0, 1, 1, 1, 1, 1, 2, 2, 3, 4]);
  return new Set(Array.from({ length: many }, () => random.pick(parts)));
}

const blanks = ["", " ", "\t\r\n", "\u00a0", "\u3000\ufeff", "undefined", " null\n"];

/** What is no secret, wherever it stands. */
function noSecret(secret: string, random: Random): unknown {
  return random.pick<unknown>([
    ...blanks,
    null,
    0,
    Number.NaN,
    false,
    {},
    Buffer.from(secret),
    Object(secret),
    [secret],
    Symbol("secret"),
    { toString: () => secret },
  ]);
}

/** The secrets that a receiver has, the right one among them or not; none where one cannot be used. */
function secretsOf(
  secret: string,
  mutated: boolean,
  random: Random,
): Handed<readonly unknown[] | undefined> {
  const list: unknown[] = [secret];
  while (random.oneIn(3)) {
    const other = random.pick([undefined, secretOf(random), secret]);
    list.splice(random.below(list.length + 1), 0, other);
  }
  if (mutated) {
    const wrong = random.pick<() => unknown>([
      () => secretOf(random),
      () => secret.trim(),
      () => `${secret}\n`,
      () => secret.slice(0, -1) || "l",
      () => secret.toUpperCase(),
      () => undefined,
      () => noSecret(secret, random),
      () => noSecret(secret, random),
    ])();
    if (random.oneIn(2)) list.splice(list.indexOf(secret), 1, wrong);
    else list.push(wrong);
    if (random.oneIn(20)) list.length = 0;
    if (random.oneIn(20)) return failing(random);
  }
  // Alone, a list would be one secret within another list.
  const [only] = list;
  const alone = list.length === 1 && !Array.isArray(only) && random.oneIn(2);
  const given: unknown = alone && typeof only !== "function" ? only : list;
  return { value: random.oneIn(4) ? () => given : given, content: list };
}

function failing(random: Random): Handed<undefined> {
  const value = random.pick<unknown>([
    () => {
      throw new Error("no secrets today");
    },
    () => null,
    () => new Set(["whsec_set"]),
    new Map([["whsec_map", 1]]),
    { 0: "whsec_like", length: 1 },
  ]);
  return { value, content: undefined };
}

/** A header beside the signature: absent, right, or something else. */
function beside(right: string | null, mutated: boolean, random: Random): readonly unknown[] {
  if (!mutated) return right === null || random.oneIn(2) ? [] : [right];
  const text = right ?? "job_1";
  return random.pick<readonly unknown[]>([
    [],
    [text],
    [text, text],
    [text, "other"],
    [text.toUpperCase()],
    [` ${text}`],
    [`${text}\n`],
    [""],
    ["null"],
    [0],
    [{ toString: () => text }],
    [[text]],
    [Symbol("odd")],
    [Object.create(null)],
  ]);
}

function boundOf(length: number, random: Random): number {
  return random.pick([
    length,
    length - 1,
    length + 1,
    length + 0.5,
    0,
    -1,
    Infinity,
    Number.NaN,
    random.below(600),
  ]);
}

/** Of an event that says when it ended, the time; the epoch for all others. */
function timeIn(event: Record<string, unknown>): number {
  const time = Date.parse(String(event["completed_at"]));
  return Number.isNaN(time) ? epoch : time;
}

/**
 * Makes one delivery: right at first, then changed here and there, and handed over in some form.
 * The same seed and number make the same one.
 */
export function trialOf(seed: number, number: number, unread?: BodyForm): Trial {
  const random = randomOf(seed, number);
  const changes = changesOf(random);
  const secret = secretOf(random);
  const right = eventOf(random);
  const event = changes.has("event") ? mutateEvent(right, random) : right;
  let signed = written(event, random);
  if (changes.has("signed")) signed = mutateBytes(signed, random);
  const signature = changes.has("key")
    ? forged(signed, secret, random)
    : signatureOf(signed, secret);
  const arrived = changes.has("body") ? mutateBytes(signed, random) : signed;
  const otherHeaders = changes.has("other headers");
  // Of an event that was changed the headers may say what they would have, or nothing.
  const same = event === right && !changes.has("signed");
  const kind = same ? String(right["event"]) : null;
  const job = same ? String(right["job_id"]) : null;
  const headers: Header[] = [
    ["x-service-event", beside(kind, otherHeaders, random)],
    ["x-service-job-id", beside(job, otherHeaders, random)],
    [
      "x-service-signature",
      changes.has("signature") ? mutateSignature(signature, random) : [signature],
    ],
  ];
  const secrets = secretsOf(secret, changes.has("secrets"), random);
  const settings = {
    maxBodyBytes: changes.has("bound") ? boundOf(arrived.length, random) : 1_048_576,
    maxAge: changes.has("age") ? random.pick([0, 1, 300_000, 3_600_000, -1, Number.NaN]) : Infinity,
    now: timeIn(right) + random.pick([0, 1, -1, 300_000, 300_001, 4e6, -4e6, Number.NaN]),
  };
  const hand = changes.has("no headers") ? brokenHeaders : headersAs;
  const handed = hand(headers, random);
  const valuesOf = (name: string) => handed.content.find(([other]) => other === name)?.[1] ?? [];
  // What breaks off beyond the bound is too large, or broken off, as it happens to be cut.
  const body = changes.has("no bytes")
    ? { value: noBytes(arrived, random), content: undefined }
    : (unread ?? inMemory)(arrived, random, changes.has("bound"));
  const expected = judge({
    signatures: valuesOf("x-service-signature"),
    kinds: valuesOf("x-service-event"),
    jobIds: valuesOf("x-service-job-id"),
    secrets: secrets.content,
    bytes: body.content,
    ...settings,
  });
  const { maxBodyBytes, maxAge, now } = settings;
  const brought = body.content !== undefined && random.oneIn(2) && bring(body.value, handed.value);
  // Values of every type stand here, as they do in what programs without types hand over.
  const options = {
    body: body.value,
    headers: brought ? undefined : handed.value,
    secrets: secrets.value,
    maxBodyBytes: changes.has("bound") ? maxBodyBytes : undefined,
    maxAge: changes.has("age") ? maxAge : undefined,
    now: () => now,
  } as VerifyOptions;
  return { options, expected, changed: [...changes].join(", ") || "nothing" };
}

function inMemory(bytes: Buffer, random: Random): Handed<Buffer> {
  return { value: bytesAs(bytes, random), content: bytes };
}

/** Lets a request bring its headers along, if this body is one. */
function bring(body: unknown, headers: unknown): boolean {
  if (typeof body !== "object" || body === null || !("headers" in body)) return false;
  Object.defineProperty(body, "headers", { value: headers });
  return true;
}
