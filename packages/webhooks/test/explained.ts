import { createHmac } from "node:crypto";

import { expect } from "vitest";

import { explain, type Cause, type Explanation, type ExplainOptions } from "../src/index.ts";

export const secret = "whsec_5f2b8c1d9e7a4036";

export const eventBody = JSON.stringify({
  event: "tryon.completed",
  job_id: "job_7Hk2mQ9x",
  status: "failed",
  result_url: null,
  error_code: "generation_failed",
  error_message: "Größe <M> & 👗 /",
  duration_ms: 18_320,
  completed_at: "2026-01-01T12:00:48Z",
});

/** Computes a digest with node:crypto, independently of the package. */
export function digestOf(
  body: string | Uint8Array,
  key: string | Uint8Array = secret,
  hash = "sha256",
): Buffer {
  return createHmac(hash, key).update(body).digest();
}

export function signatureOf(body: string | Uint8Array, key?: string | Uint8Array): string {
  return `sha256=${digestOf(body, key).toString("hex")}`;
}

/** Explains a delivery and checks that the explanation contains no part of the input. */
export async function explained(
  options: ExplainOptions,
  ...unseen: string[]
): Promise<Explanation> {
  const explanation = await explain(options);
  if (!explanation.ok) expect(leaked(JSON.stringify(explanation), unseen)).toEqual([]);
  return explanation;
}

/** Returns the parts of more than three characters that a text contains, as they are or in JSON. */
export function leaked(text: string, unseen: readonly string[]): readonly string[] {
  const parts = unseen.map((part) => part.trim()).filter((part) => part.length > 3);
  return parts.filter(
    (part) => text.includes(part) || text.includes(JSON.stringify(part).slice(1, -1)),
  );
}

export function provenCauses(explanation: Explanation): readonly Cause[] {
  return explanation.ok
    ? []
    : explanation.findings.filter((one) => one.proven).map((one) => one.cause);
}

export function causes(explanation: Explanation): readonly Cause[] {
  return explanation.ok ? [] : explanation.findings.map((one) => one.cause);
}

/** Explains a delivery whose body differs from the signed one. */
export async function arrived(
  body: string | Uint8Array,
  signed: string | Uint8Array,
  secrets = secret,
) {
  const headers = { "X-Service-Signature": signatureOf(signed) };
  const text = Buffer.from(body).toString();
  const unseen = [secrets, text, eventBody, headers["X-Service-Signature"].slice(7)];
  return explained({ body, headers, secrets }, ...unseen, "job_7Hk2mQ9x");
}
