import { describe, expect, test } from "vitest";

import { guardResolved } from "./address-guard.ts";

const publicOnes = ["93.184.216.34", "8.8.8.8", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8"];

const loopback = ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "::ffff:7f00:1"];

const privateOnes = [
  "0.0.0.0",
  "10.0.0.1",
  "100.64.0.1",
  "100.100.100.200",
  "168.63.129.16",
  "169.254.169.254",
  "172.16.0.1",
  "192.0.0.192",
  "192.168.1.1",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "::",
  "::ffff:10.0.0.1",
  "::ffff:169.254.169.254",
  "::ffff:168.63.129.16",
  "::127.0.0.1",
  "::8.8.8.8",
  "64:ff9b::a00:1",
  "2002:a00:1::",
  "2001::1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "ff02::1",
  "not an address",
  "",
];

const open = { allowPrivate: true };
const closed = { allowPrivate: false };

describe("the addresses of a name", () => {
  test.each(publicOnes)("are connected to when public: %s", (address) => {
    expect(guardResolved([address], closed)).toBeUndefined();
    expect(guardResolved([address], open)).toBeUndefined();
  });

  test.each(loopback)("are connected to on this machine only where allowed: %s", (address) => {
    expect(guardResolved([address], closed)).toMatchObject({ ok: false, private: true });
    expect(guardResolved([address], open)).toBeUndefined();
  });

  test.each(privateOnes)("are never connected to when private: %j", (address) => {
    for (const rules of [closed, open]) {
      expect(guardResolved([address], rules)).toMatchObject({ ok: false, private: false });
    }
  });

  test.each([...loopback, ...privateOnes])(
    "are all refused for one that is not public: %j",
    (one) => {
      for (const addresses of [
        [publicOnes[0] ?? "", one],
        [one, ...publicOnes],
      ]) {
        const refused = guardResolved(addresses, closed);
        expect(refused?.problem).toContain("blocked URL");
        // The address itself would tell a caller about the network of whoever runs the server.
        expect(one !== "" && refused?.problem.includes(one)).toBe(false);
      }
    },
  );
});
