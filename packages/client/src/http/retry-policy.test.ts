import { describe, expect, it } from "vitest";

import { delayOf, isRetryable, requestedDelay, retryDelay } from "./retry-policy.ts";

const noon = Date.UTC(2026, 0, 1, 12);

describe("retryDelay", () => {
  it.each([
    { failures: 0, chance: 1, delay: 500 },
    { failures: 1, chance: 1, delay: 1_000 },
    { failures: 2, chance: 0.5, delay: 1_000 },
    { failures: 4, chance: 1, delay: 8_000 },
    { failures: 50, chance: 1, delay: 8_000 },
    { failures: 3, chance: 0, delay: 0 },
    { failures: 0, chance: 0.123456, delay: 62 },
    { failures: 0, chance: 0, retryAfter: 0.5, delay: 1 },
    { failures: 0, chance: 1, retryAfter: 2_000, delay: 2_000 },
    { failures: 4, chance: 1, retryAfter: 2_000, delay: 8_000 },
    { failures: 0, chance: 0, retryAfter: 0, delay: 0 },
  ])(
    "is $delay ms after $failures retries with random number $chance and Retry-After $retryAfter",
    ({ failures, chance, retryAfter, delay }) => {
      expect(retryDelay(failures, retryAfter, () => chance)).toBe(delay);
    },
  );
});

describe("delayOf", () => {
  it.each([
    { header: "2", delay: 2_000 },
    { header: " 0 ", delay: 0 },
    { header: "1.25", delay: 1_250 },
    { header: "Thu, 01 Jan 2026 12:00:30 GMT", delay: 30_000 },
    { header: "Thu, 01 Jan 2026 11:00:00 GMT", delay: 0 },
    {
      header: "Thu, 01 Jan 2026 12:00:30 GMT",
      date: "Thu, 01 Jan 2026 12:00:20 GMT",
      delay: 10_000,
    },
    { header: "Thursday, 01-Jan-26 12:00:30 GMT", delay: 30_000 },
    { header: "Thu Jan  1 12:00:30 2026", delay: 30_000 },
    { header: "in Thu, 01 Jan 2026 12:00:30 GMT", delay: undefined },
    { header: "86400", delay: 86_400_000 },
    // A delay of more than a day is a mistake.
    { header: "86401", delay: undefined },
    { header: "999999999", delay: undefined },
    { header: String(noon + 30_000), delay: undefined },
    { header: "2, 3", delay: 3_000 },
    { header: "3,2", delay: 3_000 },
    { header: "2, soon", delay: undefined },
    {
      header: "Thu, 01 Jan 2026 12:00:30 GMT, Thu, 01 Jan 2026 12:00:20 GMT",
      delay: 30_000,
    },
    { header: "60, Thu, 01 Jan 2026 12:00:30 GMT", delay: 60_000 },
    { header: "1000000000", delay: 0 },
    { header: String(noon / 1_000 + 30), delay: 30_000 },
    { header: String(noon / 1_000 + 30), date: "Thu, 01 Jan 2026 12:00:20 GMT", delay: 10_000 },
    { header: "-5", delay: undefined },
    { header: "1e3", delay: undefined },
    { header: "soon", delay: undefined },
    { header: "Thu, 99 Foo 2026", delay: undefined },
    { header: "NaN", delay: undefined },
    { header: "", delay: undefined },
  ])("reads $header with Date $date as $delay ms", ({ header, date, delay }) => {
    const headers = new Headers({ "retry-after": header });
    if (date !== undefined) headers.set("date", date);
    expect(delayOf(headers, "retry-after", noon)).toBe(delay);
  });

  it("is undefined without the header", () => {
    expect(delayOf(new Headers(), "retry-after", noon)).toBeUndefined();
  });
});

describe("requestedDelay", () => {
  it.each([
    { status: 429, headers: { "retry-after": "2", "x-ratelimit-reset": "3" }, delay: 2_000 },
    { status: 429, headers: { "x-ratelimit-reset": "3" }, delay: 3_000 },
    { status: 503, headers: { "x-ratelimit-reset": "3" }, delay: undefined },
  ])("is $delay ms after $status with $headers", ({ status, headers, delay }) => {
    expect(requestedDelay({ status, headers: new Headers(headers) }, noon)).toBe(delay);
  });
});

describe("isRetryable", () => {
  it("holds for what may pass, and for nothing else", () => {
    const statuses = Array.from({ length: 500 }, (_, index) => 100 + index).filter(isRetryable);
    expect(statuses).toEqual([408, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524]);
  });
});
