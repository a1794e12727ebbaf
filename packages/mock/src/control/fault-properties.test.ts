import * as fc from "fast-check";
import { expect, test } from "vitest";
import { cases } from "@tryon/test-kit/cases";

import { balanceOf, withFaults } from "../../test/with-faults.ts";
import type { FaultInput } from "./fault.ts";

/** Faults of a submission that the caller retries. */
const effect = fc.constantFrom<Omit<FaultInput, "on">>(
  { status: 503 },
  { status: 502, latency: "1s" },
  { reset: "before" },
  { reset: "after" },
  { reset: "after", latency: { median: 20, p95: 2_000 } },
  { truncateAt: 3 },
  { cutAfter: "200ms" },
  { latency: "3s" },
);
const fault = fc
  .record({
    effect,
    after: fc.nat(2),
    times: fc.integer({ min: 1, max: 3 }),
    probability: fc.constantFrom(0.3, 0.7, 1),
  })
  .map(({ effect: kind, ...when }): FaultInput => ({ on: "POST /api/v1/tryon", ...kind, ...when }));

test("under any faults, requests with one idempotency key make one job and one charge", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fault, { maxLength: 5 }), fc.boolean(), async (faults, wait) => {
      const { mock, submit, get } = withFaults();
      for (const input of faults) mock.faults.add(input);
      /** Retries until a whole response arrives; the limit is above that of the faults. */
      const retry = async (key: string): Promise<string> => {
        for (let attempt = 0; attempt < 20; attempt += 1) {
          const body = await submit({ wait }, { "idempotency-key": key })
            .then(async (response) => (response.ok ? ((await response.json()) as unknown) : null))
            .catch(() => null);
          if (body !== null) return JSON.stringify(body);
        }
        return "No response arrived.";
      };
      const responses = Promise.all([retry("a"), retry("a"), retry("b")]);
      await mock.clock.runAll();
      const [first, twin, other] = (await responses).map(
        (text) => /"job_id":"(\w+)"/.exec(text)?.[1],
      );
      expect(first).toBeDefined();
      expect(twin).toBe(first);
      expect(other).not.toBe(first);
      const ledger = await mock.ledger(mock.keys.live);
      const { jobs } = (await (await get("/api/v1/tryon")).json()) as { jobs: unknown[] };
      expect(jobs).toHaveLength(2);
      expect(await balanceOf(mock)).toBe(1_000 - 16);
      expect(ledger?.entries.reduce((sum, { credits }) => sum + credits, 0)).toBe(ledger?.balance);
      expect(mock.clock.pending).toBe(0);
    }),
    { numRuns: cases(200) },
  );
});
