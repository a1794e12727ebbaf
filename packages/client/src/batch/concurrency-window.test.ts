import { expect, it } from "vitest";

import {
  initialWindow,
  nextWindow,
  maxConcurrency,
  type ConcurrencyWindow,
  type ItemSignals,
} from "./concurrency-window.ts";

const good: ItemSignals = { now: 1_000, full: true, failed: false };
const steady: ConcurrencyWindow = { size: 20, doubling: false, halvedAt: 500 };

it.each([
  ["adds one after each success at first", initialWindow, good, { size: 9, doubling: true }],
  ["adds a twentieth to 20 after it was halved once", steady, good, { size: 20.05 }],
  ["keeps the size if it was not full", steady, { ...good, full: false }, steady],
  ["stops at 100", { ...initialWindow, size: 100 }, good, { size: maxConcurrency }],
  [
    "halves after a 429 or 503",
    steady,
    { ...good, throttledAt: 600 },
    { size: 10, doubling: false, halvedAt: 1_000 },
  ],
  [
    "keeps the size after a 429 for a request sent before it was halved",
    steady,
    { ...good, throttledAt: 500 },
    steady,
  ],
  ["halves after each failure", steady, { ...good, failed: true }, { size: 10, doubling: true }],
  ["stops at one", { ...steady, size: 1 }, { ...good, failed: true }, { size: 1 }],
] as const)("%s", (_name, window, ending, expected) => {
  expect(nextWindow(window, ending)).toMatchObject(expected);
});
