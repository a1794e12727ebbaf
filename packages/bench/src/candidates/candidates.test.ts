import { createMock } from "@tryon/mock";
import { expect, test } from "vitest";

import { drawRunTimes, seededRandom } from "../benchmarks/simulation.ts";
import { comparisons, digest, timeGuesses, welch } from "../programs/timing-leak.ts";
import { benchKey, createEvent, createImage, jsonHeaders } from "./fixtures.ts";
import { pollingClients } from "./strategies.ts";
import { timeInTurns } from "./time-in-turns.ts";
import { createVerifications, verifiers } from "./verifiers.ts";

test("an image has the requested size, and the reference server accepts it", async () => {
  const mock = createMock();
  await mock.createKey(benchKey);
  const image = createImage(100_000);
  expect(image).toHaveLength(100_000);
  const body = JSON.stringify({
    person_image_b64: image.toString("base64"),
    garment_images_b64: [createImage(50_000).toString("base64")],
    wait: false,
  });
  const request = { method: "POST", headers: jsonHeaders, body };
  const { status } = await mock.fetch(`${mock.baseUrl}/api/v1/tryon`, request);
  expect(status).toBe(200);
  mock.close();
});

test.each([300, 301, 355, 1_000_000])("an event of %d bytes has exactly that size", (bytes) => {
  const event = createEvent(bytes);
  expect(event).toHaveLength(bytes);
  expect(JSON.parse(event.toString())).toMatchObject({ event: "tryon.completed" });
});

const ownVerifiers = Object.keys(verifiers).filter((name) => /^(HMAC|@tryon)/.test(name));

test.each(ownVerifiers)("%s accepts the signed event and rejects a changed one", async (name) => {
  await expect(createVerifications(createEvent(300), [name])).resolves.toHaveProperty([name]);
});

test.each(Object.entries(comparisons))(
  "%s accepts the correct digest alone and is timed with three classes of guesses",
  (_name, comparison) => {
    expect(comparison.prepare(digest)()).toBe(true);
    for (const at of digest.keys()) {
      expect(comparison.prepare(digest.with(at, (digest[at] ?? 0) ^ 1))()).toBe(false);
    }
    expect(timeGuesses(comparison, 60, 0).flat()).toHaveLength(60);
  },
);

test("Welch's t is the difference of the means in standard errors, without the slowest", () => {
  const calm = Array.from({ length: 45 }, (_, index) => 10 + (index % 3));
  const shifted = calm.map((time) => time + 1);
  expect(welch(calm, shifted)).toBeGreaterThan(4.5);
  expect(welch(shifted, calm)).toBeCloseTo(-welch(calm, shifted));
  expect(welch(calm, calm)).toBe(0);
  // The slowest samples of both classes are left out by one bound.
  const [one = [], other = []] = [9_000, 1_000].map((time) => [...calm, time, time, time, time]);
  expect(welch(one, other)).toBe(0);
  expect(() => welch([], [1, 2])).toThrow(RangeError);
});

test.each([
  ["fal doubles its delays", "fal", "30", 0.5, [1_000, 2_000, 4_000, 8_000, 16_000]],
  ["fal adds jitter", "fal", "1", 0, [750, 1_500, 3_000, 6_000, 12_000]],
  ["replicate retries immediately", "replicate", "30", 0.5, [0, 0, 0, 0, 0]],
  ["fashn obeys a Retry-After below one minute", "fashn", "30", 0.5, [30_000, 30_000, 30_000]],
  ["fashn ignores a Retry-After of one minute", "fashn", "60", 0, [2_000, 4_000, 6_000]],
  ["fashn has own delays without Retry-After", "fashn", "", 0, [2_000, 4_000, 6_000]],
] as const)("after a 429, %s", (_title, peer, retryAfter, random, delays) => {
  const client = pollingClients.find(({ name }) => name === peer);
  const headers = new Headers({ "retry-after": retryAfter });
  const attempts = Array.from({ length: client?.retries.poll ?? 0 }, (_, attempt) => attempt);
  expect(attempts.map((attempt) => client?.backoff(attempt, headers, () => random))).toEqual(
    delays,
  );
});

test.each([1, 2, 3])("run times have the requested median and p95 with seed %d", (seed) => {
  const times = drawRunTimes(20_000, seededRandom(seed));
  const share = (max: number) => times.filter((time) => time <= max).length / times.length;
  expect(share(12_000)).toBeCloseTo(0.5, 1);
  expect(share(30_000)).toBeCloseTo(0.95, 1.7);
  // The distribution is symmetric on a logarithmic scale.
  expect(share(12_000 / 2.5)).toBeCloseTo(0.05, 1.7);
});

test("calls are timed in blocks of the requested number and turns", async () => {
  let calls = 0;
  const blocks = { calls: 5, turns: 3, warmUps: 2 };
  const times = await timeInTurns({ a: () => (calls += 1) }, blocks);
  // One call more determines if the candidate is asynchronous.
  expect(calls).toBe(1 + 5 * (3 + 2));
  expect(times["a"]).toHaveLength(3);
});
