import { createMock } from "@tryon/mock";
import { describe, expect, test } from "vitest";

import { drawRunTimes, seededRandom } from "../benchmarks/simulation.ts";
import { comparisons, digest, timeGuesses, welch } from "../programs/timing-leak.ts";
import { benchKey, createEvent, createImage } from "./fixtures.ts";
import { pollingClients, type Backoff } from "./strategies.ts";
import { createVerifications, verifiers } from "./verifiers.ts";

test("an image has the requested size, and the reference server accepts it", async () => {
  const mock = createMock();
  await mock.createKey(benchKey);
  const image = createImage(100_000);
  expect(image).toHaveLength(100_000);
  const response = await mock.fetch(`${mock.baseUrl}/api/v1/tryon`, {
    method: "POST",
    headers: { authorization: `Bearer ${benchKey.token}`, "content-type": "application/json" },
    body: JSON.stringify({
      person_image_b64: image.toString("base64"),
      garment_images_b64: [createImage(50_000).toString("base64")],
      wait: false,
    }),
  });
  expect(response.status).toBe(200);
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

describe.each(Object.entries(comparisons))("%s", (_name, comparison) => {
  test("rejects a digest that is wrong in any byte", () => {
    for (const at of digest.keys()) {
      expect(comparison.prepare(digest.with(at, (digest[at] ?? 0) ^ 1))()).toBe(false);
    }
  });

  test("accepts the correct digest", () => {
    expect(comparison.prepare(digest)()).toBe(true);
  });

  test("is timed with three classes of guesses", () => {
    const times = timeGuesses(comparison, 60, 0);
    expect(times.flat()).toHaveLength(60);
  });
});

describe("Welch's t", () => {
  const calm = Array.from({ length: 45 }, (_, index) => 10 + (index % 3));

  test("is the difference of the means in standard errors", () => {
    const shifted = calm.map((time) => time + 1);
    expect(welch(calm, shifted)).toBeGreaterThan(4.5);
    expect(welch(shifted, calm)).toBeCloseTo(-welch(calm, shifted));
    expect(welch(calm, calm)).toBe(0);
  });

  test("leaves out the slowest samples of both classes by one bound", () => {
    const [one, other] = [9_000, 1_000].map((time) => [...calm, ...calm.slice(40).fill(time)]);
    expect(welch(one ?? [], other ?? [])).toBe(0);
  });

  test("needs two samples of each class", () => {
    expect(() => welch([], [1, 2])).toThrow(RangeError);
  });
});

/** Delays in milliseconds until the client abandons the call. */
function delaysOf(backoff: Backoff, retryAfter: string, random: number): number[] {
  const delays: number[] = [];
  const headers = new Headers({ "retry-after": retryAfter });
  for (;;) {
    const next = backoff(delays.length, headers, () => random);
    if (next === undefined) return delays;
    delays.push(next);
  }
}

const { fal, replicate, fashn } = pollingClients;

test.each([
  ["fal doubles the delay", fal.submitBackoff, "30", 0.5, [1_000, 2_000, 4_000]],
  ["fal polls longer", fal.pollBackoff, "30", 0.5, [1_000, 2_000, 4_000, 8_000, 16_000]],
  ["fal adds jitter", fal.submitBackoff, "1", 0, [750, 1_500, 3_000]],
  ["replicate retries immediately", replicate.pollBackoff, "30", 0.5, [0, 0, 0, 0, 0]],
  ["fashn obeys Retry-After", fashn.pollBackoff, "30", 0.5, [30_000, 30_000, 30_000]],
  ["fashn ignores one minute", fashn.pollBackoff, "60", 0, [2_000, 4_000, 6_000]],
  ["fashn has own delays", fashn.pollBackoff, "", 0, [2_000, 4_000, 6_000]],
] as const)("after a 429, %s", (_title, backoff, retryAfter, random, delays) => {
  expect(delaysOf(backoff, retryAfter, random)).toEqual(delays);
});

test.each([1, 2, 3])("run times have the requested median and p95 with seed %d", (seed) => {
  const times = drawRunTimes(20_000, seededRandom(seed));
  const share = (max: number) => times.filter((time) => time <= max).length / times.length;
  expect(share(12_000)).toBeCloseTo(0.5, 1);
  expect(share(30_000)).toBeCloseTo(0.95, 1.7);
  // The distribution is symmetric on a logarithmic scale.
  expect(share(12_000 / 2.5)).toBeCloseTo(0.05, 1.7);
});
