import { expect, test } from "vitest";

import { drawRunTimes, pollingClients, seededRandom } from "../benchmarks/simulation.ts";
import { comparisons, digest, timeComparisons, welch } from "../programs/timing-leak.ts";
import { timeInTurns } from "../statistics.ts";
import { createEvent } from "./fixtures.ts";
import { checkedCalls, ownVerifiers } from "./verifiers.ts";

test.each([300, 301, 355, 1_000_000])("an event of %d bytes has exactly that size", (bytes) => {
  const event = createEvent(bytes);
  expect(event).toHaveLength(bytes);
  expect(JSON.parse(event.toString())).toMatchObject({ event: "tryon.completed" });
});

test("own verifiers accept the signed event; one that accepts a changed event is refused", async () => {
  const event = createEvent(300);
  const verifiers = ownVerifiers(event);
  expect(Object.keys(await checkedCalls(verifiers, event))).toEqual(Object.keys(verifiers));
  await expect(checkedCalls({ lax: () => true }, event)).rejects.toThrow("lax accepted a body");
});

test.each(Object.entries(comparisons))("%s accepts the correct digest alone", (_name, it) => {
  const [calls, prepare] = it;
  expect(prepare(digest)()).toBe(true);
  for (const at of digest.keys())
    expect(prepare(digest.with(at, (digest[at] ?? 0) ^ 1))()).toBe(false);
  expect(timeComparisons(calls, prepare, 60, 0).flat()).toHaveLength(60);
});

test("Welch's t is the difference of the means in standard errors, without the slowest", () => {
  const calm = Array.from({ length: 45 }, (_, index) => 10 + (index % 3));
  const shifted = calm.map((time) => time + 1);
  expect(welch(calm, shifted)).toBeGreaterThan(4.5);
  expect(welch(shifted, calm)).toBe(welch(calm, shifted));
  expect(welch(calm, calm)).toBe(0);
  // The slowest samples of both classes are left out by one bound.
  const [one = [], other = []] = [9_000, 1_000].map((time) => [...calm, time, time, time, time]);
  expect(welch(one, other)).toBe(0);
  expect(() => welch([], [1, 2])).toThrow(RangeError);
});

test.each([
  ["fal doubles its delays", "30", 0.5, [1_000, 2_000, 4_000, 8_000, 16_000]],
  ["fal adds jitter", "1", 0, [750, 1_500, 3_000, 6_000, 12_000]],
  ["replicate retries immediately", "30", 0.5, [0, 0, 0, 0, 0]],
  ["fashn obeys a Retry-After below one minute", "30", 0.5, [30_000, 30_000, 30_000]],
  ["fashn ignores a Retry-After of one minute", "60", 0, [2_000, 4_000, 6_000]],
  ["fashn has own delays without Retry-After", "", 0, [2_000, 4_000, 6_000]],
])("after a 429, %s", (title, retryAfter, random, delays) => {
  const client = pollingClients[title.replace(/ .*/, "")];
  const headers = new Headers({ "retry-after": retryAfter });
  const attempts = [...Array(client?.retries.poll).keys()];
  expect(attempts.map((it) => client?.backoff(it, headers, () => random))).toEqual(delays);
});

test.each([1, 2, 3])("run times have the requested median and p95 with seed %d", (seed) => {
  const times = drawRunTimes(20_000, seededRandom(`${seed}`));
  const share = (max: number) => times.filter((time) => time <= max).length / times.length;
  expect(share(12_000)).toBeCloseTo(0.5, 1);
  expect(share(30_000)).toBeCloseTo(0.95, 1.7);
  // The distribution is symmetric on a logarithmic scale.
  expect(share(12_000 / 2.5)).toBeCloseTo(0.05, 1.7);
});

test("calls are timed in blocks of the requested number and turns", async () => {
  let calls = 0;
  const call = () => (calls += 1);
  const times = await timeInTurns({ call }, { calls: 5, turns: 3, warmUps: 2 });
  expect(times["call"]).toHaveLength(3);
  // One call more determines if the candidate is asynchronous.
  expect(calls).toBe((1 + 5) * (3 + 2));
});
