import { expect, test } from "vitest";

import {
  amount,
  bytes,
  change,
  counted,
  dateTime,
  duration,
  fromNow,
  timeOfDay,
} from "./format.ts";

const at = Date.UTC(2026, 0, 1, 0, 0, 12, 500);

test("formats times in UTC with milliseconds", () => {
  expect(dateTime(at)).toBe("2026-01-01 00:00:12.500");
  expect(timeOfDay(at)).toBe("00:00:12.500");
});

test.each([
  [0, "0 ms"],
  [350, "350 ms"],
  [1_000, "1 s"],
  [1_500, "1.5 s"],
  [12_340, "12.3 s"],
  [59_999, "1 min"],
  [60_000, "1 min"],
  [125_000, "2 min 5 s"],
  [12_000_000, "3 h 20 min"],
  [187_200_000, "2 d 4 h"],
])("formats %d milliseconds as %s", (length, text) => {
  expect(duration(length)).toBe(text);
});

test.each([
  [0, "now"],
  [-400, "now"],
  [-600, "1 s ago"],
  [-12_400, "12 s ago"],
  [-59_700, "1 min ago"],
  [-200_000, "3 min ago"],
  [-7_300_000, "2 h ago"],
  [-90_000_000, "1 d ago"],
  [4_000, "in 4 s"],
  [125_000, "in 2 min 5 s"],
])("formats %d milliseconds from now as %s", (distance, text) => {
  expect(fromNow(at + distance, at)).toBe(text);
});

test("formats amounts with separators, signs, units and plurals", () => {
  expect([amount(1_000), change(1_000), change(-8)]).toEqual(["1,000", "+1,000", "−8"]);
  expect([bytes(12), bytes(13_400), bytes(1_440_000)]).toEqual(["12 bytes", "13.4 kB", "1.44 MB"]);
  expect([counted(1, "request"), counted(2, "request")]).toEqual(["1 request", "2 requests"]);
});
