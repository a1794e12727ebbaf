import { safeVerify } from "@tryon/webhooks";
import type { WebhookVector } from "@tryon/spec/vectors/webhook-vector";
import vectors from "@tryon/spec/vectors/webhooks.json" with { type: "json" };
import { countResults } from "@tryon/webhooks/testing/vectors";
import type { ResultCounts } from "@tryon/webhooks/testing/vectors";

export function run(): Promise<ResultCounts> {
  // A test of the file checks its form. The compiler reads the pairs in it as lists.
  return countResults(vectors.cases as unknown as readonly WebhookVector[], {
    verify: safeVerify,
    readsStreams: true,
  });
}
