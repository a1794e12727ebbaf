import { describe, expect, test } from "vitest";

import { requestMatcher } from "./request-matcher.ts";

describe("what belongs to a server", () => {
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
  ])("with %s: %s, which the server knows as %s", (baseUrl, address, known) => {
    expect(requestMatcher(baseUrl, "same")(address)).toBe(known);
  });

  test.each([
    ["https://a.example", "http://a.example/"],
    ["https://a.example", "https://a.example:8443/"],
    ["https://a.example", "https://a.example.evil/"],
    ["https://a.example", "https://results.a.example/results/j.png"],
    ["https://a.example/v1", "https://a.example/v10"],
    ["https://a.example/v1", "https://a.example/"],
    ["https://a.example/v1", "https://a.example/resultsets/j.png"],
  ])("with %s: not %s", (baseUrl, address) => {
    expect(requestMatcher(baseUrl, "same")(address)).toBeUndefined();
  });

  test.each([
    ["https://a.example", "https://results.a.example/"],
    ["http://localhost:80", "http://127.0.0.1/"],
    ["http://127.0.0.1:4010", "http://localhost:4010/"],
  ])("with %s and results elsewhere: the images of %s and nothing else there", (base, other) => {
    const known = requestMatcher(base, "other");
    const image = `${other}results/j.png?expires=1`;
    expect(known(image)).toBe(image);
    expect(known(other)).toBeUndefined();
  });

  test.each(["", "/tryon", "a.example", "ftp://a.example"])(
    "an address is asked for: %j",
    (base) => {
      expect(() => requestMatcher(base, "same")).toThrow(
        /absolute http or https address.*location\.href/,
      );
    },
  );
});
