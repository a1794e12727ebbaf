import { safeVerify } from "@tryon/webhooks";
import type { WebhookVector } from "../../../../spec/vectors/webhook-vector.ts";
import vectors from "../../../../spec/vectors/webhooks.json" with { type: "json" };
import { tallyOf } from "../../../webhooks/src/testing/vectors.ts";
import type { Tally } from "../../../webhooks/src/testing/vectors.ts";

/** Runs the vectors where it is called, over Web Crypto. */
export function run(): Promise<Tally> {
  // The form of the file is what its own test says; the compiler makes pairs of it lists.
  return tallyOf(vectors.cases as unknown as readonly WebhookVector[], {
    verify: safeVerify,
    readsStreams: true,
  });
}
