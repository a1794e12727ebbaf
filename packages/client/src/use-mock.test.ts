import { useMock } from "@tryon/mock/vitest";
import { expect, test } from "vitest";

import { isTryOnError, TryOn } from "./index.ts";
import { batch } from "./batch/index.ts";

/** Client of an app, which its module creates before the tests call `useMock`. */
const tryon = new TryOn();
const mock = useMock({ clock: "manual", latency: "70s", unawaitedJobs: "error" });
/** Has the clock at once, although the URL of the mock is not available yet. */
const complete = new TryOn({ apiKey: mock.keys.test, baseUrl: "http://127.0.0.1" });

const input = {
  person: "https://shop.example/me.jpg",
  garments: ["https://shop.example/shirt.png"],
} as const;
/** Credits of the items of a batch. */
async function runBatch() {
  const credits = [];
  for await (const { result } of batch(tryon, [input, input])) {
    credits.push(result?.receipt.credits);
  }
  return credits;
}
const balance = async () => (await mock.ledger(mock.keys.live))?.balance;

test("a client of the app has URL, key and clock of the mock", async () => {
  expect([tryon.clock, complete.clock]).toEqual([mock.clock, mock.clock]);
  const start = mock.clock.now();
  const { receipt } = await mock.clock.runUntil(tryon.run(input));
  expect(receipt.timeline.at(-1)?.at).toBeGreaterThanOrEqual(start + 70_000);
  expect(await balance()).toBe(992);
});

test("a rate limit of 30 s, and a batch after it, take no time of the machine", async () => {
  mock.faults.add({ on: "POST /api/v1/tryon", times: 1, status: 429, retryAfter: 30 });
  expect(await mock.clock.runUntil(runBatch())).toEqual([8, 8]);
  expect(await balance()).toBe(984);
});

test("an account without credits and blocked content take one line each", async () => {
  mock.faults.add({ on: "POST /api/v1/tryon", times: 1, status: 402 });
  const refused: unknown = await tryon.run(input).catch((error: unknown) => error);
  expect(isTryOnError(refused, "insufficient_credits")).toBe(true);
  expect(isTryOnError(refused, "job_failed", "insufficient_credits")).toBe(true);
  expect(isTryOnError(refused, "job_failed", "server_error")).toBe(false);
  mock.nextJob({ outcome: "content_blocked" });
  const run = tryon.run(input).catch((error: unknown) => error);
  expect(isTryOnError(await mock.clock.runUntil(run), "job_failed")).toBe(true);
});
