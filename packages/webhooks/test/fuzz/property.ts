import { isDeepStrictEqual } from "node:util";

import * as fc from "fast-check";
import { expect } from "vitest";

import { safeVerifySync, type VerifySyncOptions } from "../../src/node/index.ts";
import type { VerifyOptions, VerifyOutcome } from "../../src/verification/verify.ts";
import { Choices, numbers } from "./choices.ts";
import type { Expected } from "./oracle.ts";
import { createTrial } from "./trial.ts";

export type Verifier = (options: VerifyOptions) => VerifyOutcome | Promise<VerifyOutcome>;

/** Verifies a body in memory. The trials without streams have no other. */
export const verifySync = (options: VerifyOptions): VerifyOutcome =>
  safeVerifySync(options as VerifySyncOptions);

export interface PropertyOptions {
  readonly verify: Verifier;
  /** Second verifier, which must have the same outcome, including the message. */
  readonly other?: Verifier;
  /** If true, bodies are unread requests and streams. */
  readonly streams?: boolean;
}

/** Checks `runs` deliveries against the oracle. Returns the codes of fewer than 1 % of them. */
export async function checkOutcomes(
  runs: number,
  options: PropertyOptions,
): Promise<readonly string[]> {
  const { property, counts } = oracleProperty(options);
  // A bias towards small numbers would favor some changes.
  await fc.assert(property, { numRuns: runs, unbiased: true });
  return Object.entries(counts).flatMap(([code, count]) => (count < runs / 100 ? [code] : []));
}

export function oracleProperty({ verify, other, streams = false }: PropertyOptions) {
  const counts: Record<Expected["code"], number> = {
    ok: 0,
    missing_signature: 0,
    malformed_signature: 0,
    multiple_signatures: 0,
    invalid_secret: 0,
    raw_body_required: 0,
    body_too_large: 0,
    signature_mismatch: 0,
    invalid_json: 0,
    invalid_event: 0,
    header_mismatch: 0,
    stale_event: 0,
  };
  const property = fc.asyncProperty(numbers, async (list) => {
    const { options, expected, changed } = createTrial(new Choices(list), streams);
    counts[expected.code] += 1;
    const outcome = await verify(options);
    // `toStrictEqual` does not support own fields named `__proto__`.
    expect(matches(outcome, expected), describe(changed, outcome, expected)).toBe(true);
    if (other === undefined) return;
    // An iterator can be read only once, so the options are built again.
    const again = await other(createTrial(new Choices(list), streams).options);
    // Each verifier has its own message for bodies without bytes.
    const ownMessage = expected.code === "raw_body_required" && matches(again, expected);
    const same = ownMessage || isDeepStrictEqual(again, outcome);
    expect(same, describe(changed, again, outcome)).toBe(true);
  });
  return { property, counts };
}

function matches(outcome: VerifyOutcome, { code, ...accepted }: Expected): boolean {
  if (code === "ok") return isDeepStrictEqual(outcome, { ok: true, ...accepted });
  return !outcome.ok && outcome.code === code && outcome.message !== "";
}

function describe(changed: string, actual: unknown, expected: unknown): string {
  return `changed: ${changed}, ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`;
}
