import { describe, expect, test } from "vitest";

import { requestMatcher } from "./request-matcher.ts";

describe("requestMatcher", () => {
  test.each([
    ["https://a.example", "https://a.example/", "https://a.example/"],
    ["https://a.example/", "https://a.example/api/v1?limit=1", "https://a.example/api/v1?limit=1"],
    ["https://A.example:443", "https://a.example/x", "https://a.example/x"],
    ["https://a.example/tryon", "https://a.example/tryon", "https://a.example/"],
    ["https://a.example/tryon/", "https://a.example/tryon/api/", "https://a.example/api/"],
    [
      "https://a.example/tryon",
      "https://a.example/results/j.png",
      "https://a.example/results/j.png",
    ],
  ])("under %s maps %s to %s", (baseUrl, url, expected) => {
    expect(requestMatcher(baseUrl, "same")(url)).toBe(expected);
  });

  test.each([
    ["https://a.example", "http://a.example/"],
    ["https://a.example", "https://a.example:8443/"],
    ["https://a.example", "https://a.example.evil/"],
    ["https://a.example", "https://results.a.example/results/j.png"],
    ["https://a.example/v1", "https://a.example/v10"],
    ["https://a.example/v1", "https://a.example/"],
    ["https://a.example/v1", "https://a.example/resultsets/j.png"],
  ])("under %s does not match %s", (baseUrl, url) => {
    expect(requestMatcher(baseUrl, "same")(url)).toBeUndefined();
  });

  test.each([
    ["https://a.example", "https://results.a.example/"],
    ["http://localhost:80", "http://127.0.0.1/"],
    ["http://127.0.0.1:4010", "http://localhost:4010/"],
  ])("under %s with results on the other origin matches the images of %s alone", (base, other) => {
    const match = requestMatcher(base, "other");
    const image = `${other}results/j.png?expires=1`;
    expect(match(image)).toBe(image);
    expect(match(other)).toBeUndefined();
  });

  test.each(["", "/tryon", "a.example", "ftp://a.example"])(
    "requires an absolute URL: %j",
    (base) => {
      expect(() => requestMatcher(base, "same")).toThrow(
        /absolute http or https URL.*location\.href/,
      );
    },
  );
});
