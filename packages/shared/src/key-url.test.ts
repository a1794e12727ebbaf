import { expect, test } from "vitest";

import { isLoopback, mayReceiveKeys, withoutApiPath } from "./key-url.ts";

test.each([
  ["https://tryon.example", true],
  ["http://tryon.example", false],
  ["http://mock:4010", false],
  ["ftp://localhost", false],
  ["http://localhost:4010", true],
  ["http://LOCALHOST.", true],
  ["http://shop.localhost", true],
  ["http://127.0.0.1", true],
  ["http://2130706433", true],
  ["http://[::1]:4010", true],
  ["http://[::ffff:127.0.0.1]", false],
  ["http://0.0.0.0", false],
  ["http://192.168.0.7", false],
  ["http://localhost.example", false],
  ["http://127.0.0.1.example", false],
  ["http://localhost@tryon.example", false],
])("keys may be sent to %s: %s", (url, isAllowed) => {
  expect(mayReceiveKeys(new URL(url))).toBe(isAllowed);
});

test("a host name is matched as a whole", () => {
  expect(["my-localhost", "localhostx", "x127.0.0.1", "127.0.0.1x"].filter(isLoopback)).toEqual([]);
});

test.each(["::1", "[::1]", "127.1", "127.0.0.1", "Localhost", "a.localhost."])(
  "%s is this machine, as a host or an IP",
  (host) => {
    expect(isLoopback(host)).toBe(true);
  },
);

test.each([
  ["https://tryon.example/api/v1", "https://tryon.example"],
  ["https://tryon.example/api/v1/", "https://tryon.example"],
  ["https://tryon.example/shop/api/v1/tryon//", "https://tryon.example/shop"],
  ["https://tryon.example", undefined],
  ["https://tryon.example/api/v1/tryons", undefined],
  ["https://tryon.example/api/v10", undefined],
  ["https://tryon.example/other\n/api/v1", undefined],
])("%j without the path of the API is %j", (url, expected) => {
  expect(withoutApiPath(url)).toBe(expected);
});
