import { expect, test } from "vitest";

import { isLoopback, mayReceiveKeys } from "./key-url.ts";

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
