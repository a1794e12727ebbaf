import { describe, expect, test } from "vitest";

import { createMock } from "../mock.ts";
import { caller } from "../../test/caller.ts";
import { covers } from "../../test/covers.ts";
import { guardAddress } from "./address-guard.ts";

const publicOnes = [
  "https://shop.example/hook",
  "https://shop.example:8443/hook",
  "https://shop.example./hook",
  "https://8.8.8.8/hook",
  "https://172.15.0.1/hook",
  "https://172.32.0.1/hook",
  "https://100.63.255.255/hook",
  "https://[2606:4700::1111]/hook",
  "https://[::ffff:8.8.8.8]/hook",
  "https://mylocalhost.example/hook",
  "https://localhost.example/hook",
  "HTTPS://SHOP.EXAMPLE/hook",
];

const loopback = [
  "https://localhost/hook",
  "https://LOCALHOST:3000/hook",
  "https://localhost./hook",
  "https://localhost../hook",
  "https://app.localhost/hook",
  "https://127.0.0.1/hook",
  "https://127.1/hook",
  "https://127.255.255.254/hook",
  "https://127.0.0.1./hook",
  "https://2130706433/hook",
  "https://0x7f000001/hook",
  "https://0x7f.1/hook",
  "https://0177.0.0.1/hook",
  "https://017700000001/hook",
  "https://%31%32%37.0.0.1/hook",
  "https://１２７.0.0.1/hook",
  "https://127。0。0。1/hook",
  "https://[::1]/hook",
  "https://[0:0:0:0:0:0:0:1]/hook",
  "https://[::ffff:127.0.0.1]/hook",
  "https://[::ffff:7f00:1]/hook",
];

const privateOnes = [
  "https://0.0.0.0/hook",
  "https://0/hook",
  "https://10.0.0.1/hook",
  "https://172.16.0.1/hook",
  "https://172.31.255.255/hook",
  "https://192.168.1.1/hook",
  "https://3232235777/hook",
  "https://169.254.1.1/hook",
  "https://169.254.169.254/latest/meta-data/",
  "https://0xA9FEA9FE/latest/meta-data/",
  "https://[::ffff:169.254.169.254]/hook",
  "https://100.64.0.1/hook",
  "https://100.100.100.200/hook",
  "https://168.63.129.16/metadata",
  "https://192.0.2.1/hook",
  "https://198.18.0.1/hook",
  "https://224.0.0.1/hook",
  "https://240.0.0.1/hook",
  "https://255.255.255.255/hook",
  "https://[::]/hook",
  "https://[::127.0.0.1]/hook",
  "https://[64:ff9b::7f00:1]/hook",
  "https://[64:ff9b:1::1]/hook",
  "https://[2002:7f00:1::]/hook",
  "https://[2001:db8::1]/hook",
  "https://[fe80::1]/hook",
  "https://[fc00::1]/hook",
  "https://[fd12:3456::1]/hook",
  "https://[fec0::1]/hook",
  "https://[ff02::1]/hook",
  "https://[fd00:ec2::254]/latest/meta-data/",
  "https://metadata.google.internal/hook",
  "https://printer.local/hook",
  "https://nas.lan/hook",
  "https://router.home.arpa/hook",
  "https://wiki.intranet/hook",
];

const malformed = [
  "not an address",
  "/hook",
  "//shop.example/hook",
  "https://",
  "ftp://shop.example/hook",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "data:text/plain,hello",
  "https://user@shop.example/hook",
  "https://user:secret@shop.example/hook",
  "https://[::1/hook",
  "https://1.2.3.4.5/hook",
];

describe("the guard of addresses", () => {
  test.each(publicOnes)("lets %s pass", (address) => {
    covers("submit.blocked-url.which");
    expect(guardAddress(address, { allowPrivate: false })).toMatchObject({ ok: true });
    expect(guardAddress(address, { allowPrivate: true })).toMatchObject({ ok: true });
  });

  test.each(loopback)("lets %s pass only where private targets are allowed", (address) => {
    covers("submit.blocked-url.which");
    expect(guardAddress(address, { allowPrivate: false })).toMatchObject({
      ok: false,
      private: true,
    });
    expect(guardAddress(address, { allowPrivate: true })).toMatchObject({ ok: true });
    const plain = address.replace("https:", "http:");
    expect(guardAddress(plain, { allowPrivate: true })).toMatchObject({ ok: true });
  });

  test.each(privateOnes)("never lets %s pass", (address) => {
    covers("submit.blocked-url.which");
    for (const allowPrivate of [false, true]) {
      expect(guardAddress(address, { allowPrivate })).toMatchObject({ ok: false, private: false });
    }
  });

  test.each(malformed)("takes %s for no address to call", (address) => {
    covers("submit.400.bad-url");
    for (const allowPrivate of [false, true]) {
      const verdict = guardAddress(address, { allowPrivate });
      expect(verdict).toMatchObject({ ok: false, private: false });
      expect(verdict.ok ? "" : verdict.problem).toContain("invalid URL");
    }
  });

  test("lets http to a public host pass only where private targets are allowed", () => {
    covers("request.webhook-url.https", "submit.blocked-url.which");
    const address = "http://shop.example/hook";
    expect(guardAddress(address, { allowPrivate: false })).toMatchObject({ private: true });
    expect(guardAddress(address, { allowPrivate: true })).toMatchObject({ ok: true });
  });
});

describe("a submission with an address that is not gone to", () => {
  test.each([
    ["webhook_url", { webhook_url: "http://127.0.0.1:3000/hook" }, "allowPrivateWebhooks"],
    ["webhook_url", { webhook_url: "http://shop.example/hook" }, "https"],
    ["person_url", { person_url: "http://127.0.0.1/p.png" }, "allowPrivateImages"],
    [
      "garment_urls[1]",
      { garment_urls: ["https://a.example/g.png", "http://a.example/g.png"] },
      "https",
    ],
    ["clothing[0]", { garment_urls: [], clothing: ["https://10.0.0.1/g.png"] }, "public"],
    ["model_url", { person_url: "", model_url: "https://169.254.169.254/" }, "public"],
  ])("is refused with 400 that names %s", async (field, fields, word) => {
    covers(
      "submit.400.bad-url",
      "request.webhook-url.https",
      "request.garment-urls.https",
      "request.person-url.https",
    );
    const mock = createMock({ clock: "manual", allowPrivateWebhooks: false });
    const refused = await caller(mock).submit(fields);
    expect(refused.status).toBe(400);
    expect(refused.detail).toContain(`${field}: `);
    expect(refused.detail).toContain(word);
  });

  test.each([
    [{ webhook_url: "http://localhost:3000/hook" }, {}],
    [{ person_url: "http://localhost:3000/p.png" }, { allowPrivateImages: true }],
  ])("is taken where the setting allows it (%j)", async (fields, settings) => {
    const mock = createMock({ clock: "manual", ...settings });
    expect((await caller(mock).submit(fields)).status).toBe(200);
  });
});
