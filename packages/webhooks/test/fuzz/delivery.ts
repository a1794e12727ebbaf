import { createHash, createHmac } from "node:crypto";

import { mutateBytes } from "./mutate-bytes.ts";
import type { Random } from "./random.ts";

/** When the events of the trials ended, more or less. */
export const epoch = Date.UTC(2026, 2, 1, 12);

const texts = [
  "",
  "job_1",
  "job_7Hk2mQ9x",
  "tryon.completed",
  "tryon.started",
  "succeeded",
  "failed",
  "running",
  "SUCCEEDED",
  "content_blocked",
  "Gr\u00f6\u00dfe \u{1f600} \u9375",
  "e\u0301",
  '"\\\n\u0000',
  "\ud83d",
  "__proto__",
  "https://results.example/a.png?signature=b",
  "yesterday",
  "2026-03-01T12:00:08Z",
] as const;

const values: readonly unknown[] = [
  ...texts,
  null,
  0,
  -1,
  8421,
  1.5,
  1e308,
  true,
  false,
  [],
  {},
  ["succeeded"],
  { event: "tryon.completed" },
];

const fields = [
  "event",
  "job_id",
  "status",
  "result_url",
  "error_code",
  "error_message",
  "duration_ms",
  "completed_at",
  "metadata",
  "__proto__",
  "constructor",
  "toString",
] as const;

/** An event as the service sends it, which ended within a quarter of an hour around the epoch. */
export function eventOf(random: Random): Record<string, unknown> {
  const failed = random.oneIn(3);
  const job = `job_${random.bytes(4).toString("base64url")}`;
  const time = new Date(epoch + (random.below(900) - 450) * 1000).toISOString();
  const zone = random.pick(["Z", "Z", "+00:00", "+02:00", ""]);
  return {
    event: "tryon.completed",
    job_id: job,
    status: failed ? "failed" : "succeeded",
    result_url: failed ? null : `https://results.example/${job}.png?signature=abc`,
    error_code: failed ? "generation_failed" : null,
    error_message: failed ? random.pick(texts) : null,
    duration_ms: random.below(30_000),
    completed_at: time.replace(".000Z", zone),
  };
}

/** Any event, or what is none: fields are missing, of another type, or more than there should be. */
export function mutateEvent(event: Record<string, unknown>, random: Random): unknown {
  if (random.oneIn(12)) return random.pick(values);
  if (random.oneIn(12)) return [event];
  if (random.oneIn(4)) return { ...event, event: `tryon.${random.pick(texts)}` };
  const changed = new Map(Object.entries(event));
  for (let times = 1 + random.below(3); times > 0; times -= 1) {
    const field = random.pick(fields);
    if (random.oneIn(3)) changed.delete(field);
    else changed.set(field, random.pick(values));
  }
  return Object.fromEntries(changed);
}

/** The JSON of a value, written as one may write it. */
export function written(value: unknown, random: Random): Buffer {
  const text = JSON.stringify(value, null, random.oneIn(4) ? random.below(4) : undefined);
  if (random.oneIn(40)) return Buffer.from(`\ufeff${text}`);
  if (random.oneIn(40)) return Buffer.from(text.replace("{", '{"event":"other","status":1,'));
  if (random.oneIn(40)) return Buffer.from(text.replace(/:\d+/, ":1e999"));
  return random.oneIn(15) ? mutateBytes(Buffer.from(text), random) : Buffer.from(text);
}

const secrets = [
  "whsec_5f2b8c1d9e7a4036",
  "whsec_a_b__c_",
  "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  "deadbeefdeadbeefdeadbeefdeadbeef",
  "whsec_gr\u00f6\u00dfe_\u9375_\u{1f511}",
  " one two\n",
  "k",
  "k".repeat(63),
  "k".repeat(64),
  "k".repeat(65),
  "whsec_\ud800",
  "whsec_\u0000",
];

export function secretOf(random: Random): string {
  return random.oneIn(2) ? random.pick(secrets) : `whsec_${random.bytes(12).toString("hex")}`;
}

/** The right signature of these bytes. */
export function signatureOf(bytes: Uint8Array, key: string | Uint8Array): string {
  return `sha256=${createHmac("sha256", key).update(bytes).digest("hex")}`;
}

type Forgery = (bytes: Buffer, secret: string, random: Random) => string;

/** Signatures that are well made, of the wrong thing or with the wrong key. */
const forgeries: readonly Forgery[] = [
  (bytes, secret) => signatureOf(bytes, secret.trim()),
  (bytes, secret) => signatureOf(bytes, secret.replace("whsec_", "")),
  (bytes, secret) => signatureOf(bytes, Buffer.from(secret.replace("whsec_", ""), "base64")),
  (bytes, secret) => signatureOf(bytes, Buffer.from(secret, "hex")),
  (bytes, secret) => signatureOf(bytes, Buffer.from(secret, "latin1")),
  (bytes, secret) => signatureOf(bytes, `${secret}\n`),
  (bytes, secret) => signatureOf(bytes, secret.toUpperCase()),
  (bytes, secret) => signatureOf(bytes, secret.split("_", 2).join("_")),
  (bytes, secret) => signatureOf(bytes, secret.slice(0, -1)),
  (bytes, secret) => signatureOf(bytes, `${secret}${"\0".repeat(3)}`),
  (bytes) => signatureOf(bytes, ""),
  (bytes) => signatureOf(bytes, "whsec_"),
  (bytes) => signatureOf(bytes, "undefined"),
  (bytes, _secret, random) => signatureOf(bytes, secretOf(random)),
  (bytes) => `sha256=${createHash("sha256").update(bytes).digest("hex")}`,
  (bytes, secret) => `sha256=${createHash("sha256").update(secret).update(bytes).digest("hex")}`,
  (bytes, secret) =>
    `sha256=${createHmac("sha512", secret).update(bytes).digest("hex").slice(0, 64)}`,
  (bytes, secret) => signatureOf(Buffer.from(bytes.toString()), secret),
  (bytes, secret) => signatureOf(Buffer.from(bytes.toString("hex")), secret),
  (_bytes, secret) => signatureOf(Buffer.alloc(0), secret),
];

export function forged(bytes: Buffer, secret: string, random: Random): string {
  return random.pick(forgeries)(bytes, secret, random);
}
