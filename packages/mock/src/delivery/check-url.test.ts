import { describe, expect, test } from "vitest";

import { createMock } from "../mock.ts";
import { caller, manualServer } from "../../test/caller.ts";
import { covers } from "../../test/covers.ts";
import { ipProblem, urlProblem, type UrlRules } from "./check-url.ts";

const list = (text: string): readonly string[] => text.trim().split(/\s+/);

const publicHosts = list(`
  shop.example shop.example:8443 shop.example. SHOP.EXAMPLE mylocalhost.example localhost.example
  8.8.8.8 172.15.0.1 172.32.0.1 100.63.255.255 [2606:4700::1111] [::ffff:8.8.8.8]
`);
const loopbackHosts = list(`
  localhost LOCALHOST:3000 localhost. localhost.. app.localhost
  127.0.0.1 127.1 127.255.255.254 127.0.0.1. 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001
  %31%32%37.0.0.1 １２７.0.0.1 127。0。0。1
  [::1] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1]
`);
const privateHosts = list(`
  0.0.0.0 0 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 3232235777 169.254.1.1 169.254.169.254
  0xA9FEA9FE 100.64.0.1 100.100.100.200 168.63.129.16 192.0.2.1 198.18.0.1 224.0.0.1 240.0.0.1
  255.255.255.255 [::ffff:169.254.169.254] [::] [::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b:1::1]
  [2002:7f00:1::] [2001:db8::1] [fe80::1] [fc00::1] [fd12:3456::1] [fec0::1] [ff02::1]
  [fd00:ec2::254] metadata.google.internal printer.local nas.lan router.home.arpa wiki.intranet
`);
const invalidUrls = [
  "no URL",
  ...list(`
    /hook //shop.example/hook https:// ftp://shop.example/hook file:///etc/passwd
    javascript:alert(1) data:text/plain,hello https://user@shop.example/hook
    https://user:secret@shop.example/hook https://[::1/hook https://1.2.3.4.5/hook
  `),
];
const publicIps = list("93.184.216.34 8.8.8.8 172.32.0.1 2606:4700::1111 ::ffff:8.8.8.8");
const loopbackIps = list("127.0.0.1 127.9.9.9 ::1 ::ffff:127.0.0.1 ::ffff:7f00:1");
const privateIps = [
  "not an IP",
  "",
  ...list(`
    0.0.0.0 10.0.0.1 100.64.0.1 100.100.100.200 168.63.129.16 169.254.169.254 172.16.0.1
    192.0.0.192 192.168.1.1 198.18.0.1 224.0.0.1 255.255.255.255 :: ::ffff:10.0.0.1
    ::ffff:169.254.169.254 ::ffff:168.63.129.16 ::127.0.0.1 ::8.8.8.8 64:ff9b::a00:1 2002:a00:1::
    2001::1 fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0 fec0::1 ff02::1
  `),
];

const setting = "allowPrivateWebhooks";
/** Returns the problems if only public hosts are allowed, and if loopback is allowed too. */
const bothOf = (problem: typeof urlProblem, url: string) =>
  [false, true].map((allowPrivate) => problem(url, { allowPrivate, setting }));
const ofIp = (ip: string, rules: UrlRules) => ipProblem([ip], rules);
const on = (scheme: string, hosts: readonly string[]) =>
  hosts.map((host) => `${scheme}://${host}/hook`);

describe.each([
  {
    name: "urlProblem",
    problem: urlProblem,
    allowed: [...on("https", publicHosts), ...on("HTTPS", publicHosts)],
    loopback: [...on("https", loopbackHosts), ...on("http", loopbackHosts)],
    blocked: [...on("https", privateHosts), ...on("http", publicHosts), ...invalidUrls],
  },
  {
    name: "ipProblem",
    problem: ofIp,
    allowed: publicIps,
    loopback: loopbackIps,
    blocked: privateIps,
  },
])("$name", ({ problem, allowed, loopback, blocked }) => {
  test.each(allowed)("allows %s", (url) => {
    covers("submit.blocked-url.which");
    expect(bothOf(problem, url)).toEqual([undefined, undefined]);
  });

  test.each(loopback)("allows %s only with allowPrivate", (url) => {
    expect(bothOf(problem, url)).toEqual([expect.stringContaining(setting), undefined]);
  });

  test.each(blocked)("blocks %j without a hint", (url) => {
    covers("request.webhook-url.https");
    for (const found of bothOf(problem, url)) {
      expect(found).toMatch(/^(blocked|invalid) URL(?!.*allowPrivate)/);
    }
  });
});

test.each(on("http", publicHosts))("%s has to be https", (url) => {
  const https = "blocked URL; use https instead of http.";
  expect(bothOf(urlProblem, url)).toEqual([https, https]);
});

test.each(invalidUrls)("%s is invalid", (url) => {
  covers("submit.400.bad-url");
  for (const found of bothOf(urlProblem, url)) expect(found).toMatch(/^invalid URL/);
});

test.each([...loopbackIps, ...privateIps])("a host with %j and public IPs is blocked", (ip) => {
  for (const ips of [
    ["8.8.8.8", ip],
    [ip, ...publicIps],
  ]) {
    const problem = ipProblem(ips, { allowPrivate: false, setting });
    expect(problem).toContain("blocked URL");
    // The IP would disclose the server's network to the caller.
    expect(ip !== "" && problem?.includes(ip)).toBe(false);
  }
});

describe("a submission", () => {
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
  ])("is rejected with 400 for a blocked %s", async (field, fields, word) => {
    covers("request.garment-urls.https", "request.person-url.https");
    const mock = createMock({ clock: "manual", allowPrivateWebhooks: false });
    const rejected = await caller(mock).submit(fields);
    expect(rejected.status).toBe(400);
    expect(rejected.detail).toContain(`${field}: `);
    expect(rejected.detail).toContain(word);
  });

  test("has an https webhook_url by default, unless it is on loopback", async () => {
    const { call } = manualServer();
    const plain = await call.submit({ webhook_url: "http://shop.example/hook" });
    expect([plain.status, plain.detail]).toEqual([400, expect.stringContaining("use https")]);
    expect((await call.submit({ webhook_url: "http://[::1]:3000/hook" })).status).toBe(200);
  });

  test.each([
    [{ webhook_url: "http://localhost:3000/hook" }, {}],
    [{ person_url: "http://localhost:3000/p.png" }, { allowPrivateImages: true }],
  ])("may have %j where the settings allow it", async (fields, settings) => {
    const mock = createMock({ clock: "manual", ...settings });
    expect((await caller(mock).submit(fields)).status).toBe(200);
  });
});
