import { expect, test } from "vitest";

import { likelyName } from "./known-names.ts";
import { rejectUnknown } from "./options.ts";

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

test("an unknown name is rejected with the likely one, or else with all", () => {
  const reject = (input: object) => () => rejectUnknown("an option of run", input, known);
  expect(reject({ refund: 1, latancy: undefined })).not.toThrow();
  expect(reject({ latancy: 1 })).toThrow("latancy is not an option of run. Did you mean latency?");
  expect(reject({ toString: 1 })).toThrow(
    `toString is not an option of run. Use one of: ${known.join(", ")}.`,
  );
  expect(reject({ ["k".repeat(50_000)]: 1 })).toThrow(/^.{0,250}$/);
});
