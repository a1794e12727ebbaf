import { createHash, createHmac } from "node:crypto";

import { signatureOf } from "../explained.ts";
import type { Choices } from "./choices.ts";
import { mutateBytes } from "./mutate-bytes.ts";

/** Middle of the times at which the jobs of the trials ended. */
export const epoch = Date.UTC(2026, 2, 1, 12);

const texts = [
  "",
  "job_1",
  "tryon.completed",
  "tryon.started",
  "succeeded",
  "running",
  "SUCCEEDED",
  "Gr\u00f6\u00dfe \u{1f600} \u9375",
  "e\u0301",
  '"\\\n\u0000',
  "\ud83d",
  "__proto__",
  "yesterday",
  "2026-03-01T12:00:08Z",
] as const;

const values: readonly unknown[] = [
  ...texts,
  null,
  0,
  -1,
  1.5,
  1e308,
  true,
  [],
  {},
  ["succeeded"],
  { event: "tryon.completed" },
];

const fields =
  "event job_id status result_url error_code error_message duration_ms completed_at metadata __proto__ constructor".split(
    " ",
  );

/** Creates an event as the service sends it, of a job that ended within 8 minutes of the epoch. */
export function createEvent(choices: Choices): Record<string, unknown> {
  const failed = choices.oneIn(3);
  const job = `job_${choices.bytes(4).toString("base64url")}`;
  const time = new Date(epoch + (choices.below(900) - 450) * 1000).toISOString();
  const zone = choices.pick(["Z", "Z", "+00:00", "+02:00", ""]);
  return {
    event: "tryon.completed",
    job_id: job,
    status: failed ? "failed" : "succeeded",
    result_url: failed ? null : `https://results.example/${job}.png?signature=abc`,
    error_code: failed ? "generation_failed" : null,
    error_message: failed ? choices.pick(texts) : null,
    duration_ms: choices.below(30_000),
    completed_at: time.replace(".000Z", zone),
  };
}

/** Removes, adds and changes fields, or returns another JSON value. */
export function mutateEvent(event: Record<string, unknown>, choices: Choices): unknown {
  if (choices.oneIn(12)) return choices.pick(values);
  if (choices.oneIn(12)) return [event];
  if (choices.oneIn(4)) return { ...event, event: `tryon.${choices.pick(texts)}` };
  const changed = new Map(Object.entries(event));
  for (let times = 1 + choices.below(3); times > 0; times -= 1) {
    const field = choices.pick(fields);
    if (choices.oneIn(3)) changed.delete(field);
    else changed.set(field, choices.pick(values));
  }
  return Object.fromEntries(changed);
}

/** Serializes a value as JSON, sometimes with whitespace, a byte order mark or a repeated field. */
export function serialize(value: unknown, choices: Choices): Buffer {
  const text = JSON.stringify(value, null, choices.oneIn(4) ? choices.below(4) : undefined);
  if (choices.oneIn(40)) return Buffer.from(`\ufeff${text}`);
  if (choices.oneIn(40)) return Buffer.from(text.replace("{", '{"event":"other","status":1,'));
  if (choices.oneIn(40)) return Buffer.from(text.replace(/:\d+/, ":1e999"));
  return choices.oneIn(15) ? mutateBytes(Buffer.from(text), choices) : Buffer.from(text);
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

export function createSecret(choices: Choices): string {
  return choices.oneIn(2) ? choices.pick(secrets) : `whsec_${choices.bytes(12).toString("hex")}`;
}

/** Creates a well-formed signature with another key, of other bytes or with another algorithm. */
export function forgeSignature(bytes: Buffer, secret: string, choices: Choices): string {
  const withoutPrefix = secret.replace("whsec_", "");
  const otherKeys = [
    secret.trim(),
    withoutPrefix,
    Buffer.from(withoutPrefix, "base64"),
    Buffer.from(secret, "hex"),
    Buffer.from(secret, "latin1"),
    `${secret}\n`,
    secret.toUpperCase(),
    secret.split("_", 2).join("_"),
    secret.slice(0, -1),
    `${secret}${"\0".repeat(3)}`,
    "",
    "whsec_",
    "undefined",
    createSecret(choices),
  ];
  const sha256 = createHash("sha256");
  return choices.pick<() => string>([
    ...otherKeys.map((key) => () => signatureOf(bytes, key)),
    () => `sha256=${sha256.update(bytes).digest("hex")}`,
    () => `sha256=${sha256.update(secret).update(bytes).digest("hex")}`,
    () => `sha256=${createHmac("sha512", secret).update(bytes).digest("hex").slice(0, 64)}`,
    () => signatureOf(Buffer.from(bytes.toString()), secret),
    () => signatureOf(Buffer.from(bytes.toString("hex")), secret),
    () => signatureOf(Buffer.alloc(0), secret),
  ])();
}
