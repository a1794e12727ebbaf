import * as fc from "fast-check";
import { expect, test } from "vitest";
import { cases } from "@tryon/test-kit/cases";

import { stockEngine } from "../engine/stock.ts";
import { createMock, type Mock } from "../mock.ts";
import { caller } from "../../test/caller.ts";
import { nextIds, observed } from "../../test/observed.ts";

const step = fc.oneof(
  fc.record({
    kind: fc.constant("submit" as const),
    output_size: fc.constantFrom("1K", "2K"),
    prompt: fc.constantFrom(null, "mock:content_blocked", "mock:slow=9000", "mock:never"),
    wait: fc.boolean(),
    hooked: fc.boolean(),
    key: fc.constantFrom(undefined, "a", "b"),
  }),
  fc.record({ kind: fc.constant("advance" as const), span: fc.integer({ min: 0, max: 8_000 }) }),
  fc.record({
    kind: fc.constant("purchase" as const),
    token: fc.constantFrom("spt_1", "spt_2", "spt_processing_1"),
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

const engine = stockEngine();

/** Creates a server whose receiver accepts webhooks in every third second, so that it needs no state. */
function makeServer(concurrency: number, webhookBody: "same" | "resigned"): Mock {
  const mock: Mock = createMock({
    clock: "manual",
    seed: 7,
    engine,
    concurrency,
    options: { reportQueued: true, refund: "failed", webhookBody },
    sendWebhook: async () =>
      new Response(null, { status: Math.floor(mock.clock.now() / 1_000) % 3 === 0 ? 200 : 500 }),
  });
  return mock;
}

async function runSteps(mock: Mock, steps: readonly Step[]): Promise<void> {
  const call = caller(mock);
  for (const one of steps) {
    if (one.kind === "advance") await mock.clock.advance(one.span);
    else if (one.kind === "next") mock.nextJob({ outcome: one.outcome });
    else if (one.kind === "purchase") {
      await call.purchase({ pack_slug: "demo", shared_payment_granted_token: one.token });
    } else if (one.kind === "settle") {
      const order = { pack_slug: "demo", shared_payment_granted_token: "spt_processing_1" };
      await mock.settlePayment((await call.purchase(order)).body.payment_intent_id);
    } else if (one.kind === "repeat") {
      const last = (await mock.webhooks.deliveries()).at(-1);
      if (last !== undefined) await mock.webhooks[one.how](last.id);
    } else {
      const { kind: _kind, key, hooked, ...fields } = one;
      const webhook_url = hooked ? "https://shop.example/hook" : null;
      const headers = key === undefined ? {} : { "idempotency-key": key };
      // A restore rejects synchronous requests.
      void call.submit({ ...fields, webhook_url }, headers).catch(() => undefined);
    }
    await mock.clock.advance(0);
  }
}

const steps = fc.array(step, { minLength: 1, maxLength: 8 });
const settings = [
  fc.constantFrom(1, 2, 100),
  fc.constantFrom("same" as const, "resigned" as const),
] as const;

test("after any steps, a restore gives the same state and the same future", async () => {
  await fc.assert(
    fc.asyncProperty(steps, steps, ...settings, async (before, after, concurrency, body) => {
      const mock = makeServer(concurrency, body);
      await runSteps(mock, before);
      const snapshot = await mock.snapshot();
      const state = await observed(mock);
      const ids = await nextIds(mock);
      await runSteps(mock, after);
      await mock.clock.advance("30s");
      const future = await observed(mock);
      for (let again = 0; again < 2; again += 1) {
        await mock.restore(snapshot);
        expect(withoutTimers(await observed(mock))).toEqual(withoutTimers(state));
        expect(await nextIds(mock)).toEqual(ids);
        await runSteps(mock, after);
        await mock.clock.advance("30s");
        expect(withoutTimers(await observed(mock))).toEqual(withoutTimers(future));
      }
      mock.close();
      expect(mock.clock.pending).toBe(0);
    }),
    { numRuns: cases(150) },
  );
});

test("the same seed gives the same ids, times, bytes and signatures on every run", async () => {
  await fc.assert(
    fc.asyncProperty(steps, ...settings, async (done, concurrency, body) => {
      const runs = [makeServer(concurrency, body), makeServer(concurrency, body)].map(
        async (mock) => {
          await runSteps(mock, done);
          await mock.clock.advance("30s");
          const first = [await observed(mock), await nextIds(mock)];
          await mock.reset();
          await runSteps(mock, done);
          await mock.clock.advance("30s");
          expect([await observed(mock), await nextIds(mock)]).toEqual(first);
          mock.close();
          return first;
        },
      );
      const [one, other] = await Promise.all(runs);
      expect(one).toEqual(other);
    }),
    { numRuns: cases(100) },
  );
});

/** Removes the number of timers: a snapshot does not include those of synchronous requests. */
function withoutTimers(state: unknown): unknown {
  return { ...(state as object), pending: undefined };
}
