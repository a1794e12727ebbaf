import * as fc from "fast-check";
import { expect, test } from "vitest";
import { cases } from "@tryon/test-kit/cases";

import { stockEngine } from "../engine/stock.ts";
import type { Mock } from "../mock.ts";
import { nextIds, observed } from "../../test/observed.ts";
import { runSteps, step, steppedServer } from "../../test/steps.ts";

const engine = stockEngine();

function makeServer(concurrency: number, webhookBody: "same" | "resigned"): Mock {
  const options = { reportQueued: true, refund: "failed", webhookBody } as const;
  return steppedServer({ engine, concurrency, options });
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
