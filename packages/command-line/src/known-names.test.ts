import { expect, test } from "vitest";

import { likelyName, namesFor, rejectUnknownNames } from "./known-names.ts";

const known = ["baseUrl", "latency", "rateLimitPerMinute", "refund", "retry_after"];

test.each([
  ["latancy", "latency"],
  ["latenc", "latency"],
  ["lateny", "latency"],
  ["ltaency", "latency"],
  ["patency", undefined],
  ["baseURL", "baseUrl"],
  ["base_url", "baseUrl"],
  ["retryAfter", "retry_after"],
  ["rateLimit", "rateLimitPerMinute"],
  ["colour", undefined],
  ["re", undefined],
  ["", undefined],
  ["__proto__", undefined],
])("the likely name for %j is %s", (name, likely) => {
  expect(likelyName(name, known)).toBe(likely);
});

test("the nearest of several similar names is the likely one", () => {
  expect(likelyName("statu5", ["statues", "status"])).toBe("status");
});

test("an unknown name is rejected with the known ones and the likely one", () => {
  const reject = (input: object) => () =>
    rejectUnknownNames(input, known, "Unknown option", "the options are");
  expect(reject({ refund: 1, latency: undefined })).not.toThrow();
  expect(reject({ latancy: undefined })).toThrow(
    new TypeError(
      `Unknown option "latancy"; the options are ${known.join(", ")}. Did you mean latency?`,
    ),
  );
  expect(reject({ toString: 1 })).toThrow(TypeError);
  expect(reject({ ["k".repeat(50_000)]: 1 })).toThrow(/^.{0,250}$/);
  expect(namesFor("colour", ["a", "b"])).toBe("a, b.");
});
