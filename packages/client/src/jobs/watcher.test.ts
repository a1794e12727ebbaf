import { describe, expect, it } from "vitest";

import { pollDelay } from "./watcher.ts";

describe("pollDelay", () => {
  it.each([
    { looks: 0, delay: 1_000 },
    { looks: 1, delay: 1_500 },
    { looks: 3, delay: 3_375 },
    { looks: 4, delay: 5_000 },
    { looks: 400, delay: 5_000 },
  ])("is about $delay ms after $looks looks", ({ looks, delay }) => {
    expect(pollDelay(looks, () => 0.5)).toBeCloseTo(delay);
    expect(pollDelay(looks, () => 0)).toBeCloseTo(delay * 0.85);
    expect(pollDelay(looks, () => 1)).toBeCloseTo(delay * 1.15);
  });
});
