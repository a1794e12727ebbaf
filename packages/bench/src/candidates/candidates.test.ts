import { createMock } from "@tryon/mock";
import { describe, expect, test } from "vitest";

import { benchKey, createEvent, createImage } from "./fixtures.ts";
import { comparisons, digest, timeGuesses, welch } from "./timing-leak.ts";
import { createTestedVerifier, verifiers } from "./verifiers.ts";

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
  await expect(createTestedVerifier(name, createEvent(300))).resolves.toBeTypeOf("function");
});

describe.each(Object.entries(comparisons))("%s", (_name, comparison) => {
  test("rejects a digest that is wrong in any byte", () => {
    for (const at of digest.keys()) {
      expect(comparison.prepare(digest.with(at, (digest[at] ?? 0) ^ 1))).not.toThrow();
    }
  });

  test("fails when its guess is correct", () => {
    expect(comparison.prepare(digest)).toThrow(/wrong digest|no mismatch/);
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
    const { ratio, t } = welch(calm, shifted);
    expect(ratio).toBeGreaterThan(1);
    expect(t).toBeGreaterThan(4.5);
    expect(welch(shifted, calm).t).toBeCloseTo(-t);
    expect(welch(calm, calm)).toEqual({ ratio: 1, t: 0 });
  });

  test("leaves out the slowest samples of both classes by one bound", () => {
    const slow = [9_000, 1_000].map((time) => [...calm, time, time, time, time, time]);
    expect(welch(slow[0] ?? [], slow[1] ?? []).ratio).toBe(1);
  });

  test("needs two samples of each class", () => {
    expect(() => welch([], [1, 2])).toThrow(RangeError);
  });
});
