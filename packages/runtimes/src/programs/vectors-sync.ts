import { safeVerifySync } from "@tryon/webhooks/node";
import type { VerifySyncOptions } from "@tryon/webhooks/node";
import type { WebhookVector } from "@tryon/spec/vectors/webhook-vector";
import vectors from "@tryon/spec/vectors/webhooks.json" with { type: "json" };
import { tallyOf } from "@tryon/webhooks/testing/vectors";
import type { Tally } from "@tryon/webhooks/testing/vectors";

/** Runs the vectors where it is called, over node:crypto. */
export function run(): Promise<Tally> {
  // The form of the file is what its own test says; the compiler makes pairs of it lists.
  return tallyOf(vectors.cases as unknown as readonly WebhookVector[], {
    // Without streams, all bodies are in memory.
    verify: (options) => safeVerifySync(options as VerifySyncOptions),
    readsStreams: false,
  });
}
