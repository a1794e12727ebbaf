import * as fc from "fast-check";

import { createMock, type Mock, type MockOptions } from "../src/mock.ts";
import { caller } from "./caller.ts";

/** Step of a caller, of the control API or of the clock. */
export const step = fc.oneof(
  fc.record({
    kind: fc.constant("submit" as const),
    output_size: fc.constantFrom("1K", "2K", "4K"),
    prompt: fc.constantFrom(null, "mock:content_blocked", "mock:slow=9000", "mock:never"),
    wait: fc.boolean(),
    hooked: fc.boolean(),
    key: fc.constantFrom(undefined, "a", "b"),
  }),
  fc.record({ kind: fc.constant("advance" as const), span: fc.integer({ min: 0, max: 8_000 }) }),
  fc.record({
    kind: fc.constant("purchase" as const),
    token: fc.constantFrom("spt_1", "spt_2", "spt_declined_1", "spt_processing_1"),
  }),
  fc.record({ kind: fc.constant("settle" as const) }),
  fc.record({
    kind: fc.constant("next" as const),
    outcome: fc.constantFrom("never" as const, "model_rejected" as const, "succeeded" as const),
  }),
  fc.record({
    kind: fc.constant("repeat" as const),
    how: fc.constantFrom("replay" as const, "duplicate" as const, "tamper" as const),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Creates a server whose receiver accepts webhooks in every third second, so that it needs no state. */
export function steppedServer(options: MockOptions): Mock {
  const mock: Mock = createMock({
    clock: "manual",
    seed: 7,
    sendWebhook: async () =>
      new Response(null, { status: Math.floor(mock.clock.now() / 1_000) % 3 === 0 ? 200 : 500 }),
    ...options,
  });
  return mock;
}

/** Runs steps under a key, and calls `check` after each. Returns its submissions, some of which wait for their job. */
export async function runSteps(
  mock: Mock,
  steps: readonly Step[],
  token = mock.keys.live,
  check = async (): Promise<void> => {},
) {
  const submissions: Promise<unknown>[] = [];
  const call = caller(mock, token);
  const buy = (shared_payment_granted_token: string) =>
    call.purchase({ pack_slug: "demo", shared_payment_granted_token });
  for (const one of steps) {
    if (one.kind === "advance") await mock.clock.advance(one.span);
    else if (one.kind === "next") mock.nextJob({ outcome: one.outcome });
    else if (one.kind === "purchase") await buy(one.token);
    else if (one.kind === "settle") {
      await mock.settlePayment((await buy("spt_processing_1")).body.payment_intent_id);
    } else if (one.kind === "repeat") {
      const last = (await mock.webhooks.deliveries()).at(-1);
      if (last !== undefined) await mock.webhooks[one.how](last.id);
    } else {
      const { kind: _kind, key, hooked, ...fields } = one;
      const webhook_url = hooked ? "https://shop.example/hook" : null;
      const headers = key === undefined ? {} : { "idempotency-key": key };
      const submission = call.submit({ ...fields, webhook_url }, headers);
      // A restore or a kill rejects synchronous requests.
      submission.catch(() => undefined);
      submissions.push(submission);
    }
    await mock.clock.advance(0);
    await check();
  }
  return { submissions };
}
