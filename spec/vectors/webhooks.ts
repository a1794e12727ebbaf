/**
 * Makes webhooks.json: `node spec/vectors/webhooks.ts`. What is expected is written by hand in
 * `cases/`; the signatures are made by node:crypto, so that no implementation is its own judge.
 */
import { writeFileSync } from "node:fs";
import { format } from "oxfmt";
import { bodyCases } from "./cases/body.ts";
import { chunkCases } from "./cases/chunks.ts";
import { eventCases } from "./cases/event.ts";
import { secretCases } from "./cases/secret.ts";
import { signatureCases } from "./cases/signature.ts";
import type { WebhookVector } from "./webhook-vector.ts";

export interface WebhookVectors {
  readonly $comment: readonly string[];
  readonly cases: readonly WebhookVector[];
}

const $comment = [
  "Deliveries of the service and what a verifier has to make of each. Made by webhooks.ts beside it.",
  "secrets: the secrets on hand, in order; null is one that is not set.",
  "body: its parts, joined as bytes: { utf8 }, { base64 }, or { repeat, count }, a text that many times.",
  "headers: pairs of name and value, as sent; a name may come twice.",
  "chunks: where a streamed body is cut; elsewhere it is for the runner to say. Twice at one place: an empty chunk.",
  "settings: maxBodyBytes (1,048,576 unless given), maxAge and now (milliseconds; any age unless given).",
  "expected: ok, with the position of the secret that fits and the event; or the code of the refusal.",
  "Checked in this order: header, secrets, body, signature, JSON, event, other headers, age.",
];

/** The text of webhooks.json, formatted as the repository's files are. */
export async function webhookVectors(): Promise<string> {
  const cases = [...signatureCases, ...secretCases, ...bodyCases, ...chunkCases, ...eventCases];
  const vectors: WebhookVectors = { $comment, cases };
  const { code } = await format("webhooks.json", JSON.stringify(vectors, null, 2), {
    printWidth: 100,
  });
  return code;
}

if (import.meta.main) {
  writeFileSync(new URL("webhooks.json", import.meta.url), await webhookVectors());
}
