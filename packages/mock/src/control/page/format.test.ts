import { expect, test } from "vitest";

import { amount, counted, dateTime, duration, fromNow, timeOfDay } from "./format.ts";

const at = Date.UTC(2026, 0, 1, 0, 0, 12, 500);

test.each([
  [dateTime(at), "2026-01-01 00:00:12.500"],
  [timeOfDay(at), "00:00:12.500"],
  [duration(0), "0 ms"],
  [duration(350.4), "350 ms"],
  [duration(1_000), "1 s"],
  [duration(1_540), "1.5 s"],
  [duration(125_000), "2.1 min"],
  [duration(12_000_000), "3.3 h"],
  [duration(187_200_000), "2.2 d"],
  [fromNow(at - 400, at), "now"],
  [fromNow(at - 600, at), "1 s ago"],
  [fromNow(at - 59_700, at), "1 min ago"],
  [fromNow(at + 4_000, at), "in 4 s"],
  [amount(1_000), "1,000"],
  [counted(1, "request"), "1 request"],
  [counted(2, "request"), "2 requests"],
])("formats %s as %s", (text, expected) => {
  expect(text).toBe(expected);
});
