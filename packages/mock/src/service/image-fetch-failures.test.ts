import type { OutgoingHttpHeaders } from "node:http";

import { describe, expect, test } from "vitest";

import {
  fetchingServer,
  servePerson,
  images,
  png,
  type Listener,
} from "../../test/fetching-server.ts";
import { publicAddress, type HostOptions } from "../../test/image-host.ts";
import { limits } from "./catalogue.ts";

/** Responds with a status, headers and a body. */
const answer =
  (status: number, headers: OutgoingHttpHeaders = {}, body?: string): Listener =>
  (_request, response) =>
    response.writeHead(status, headers).end(body);
const redirectTo = (location: string): Listener => answer(302, { location });

const tooLarge: Listener = (_request, response) => {
  response.writeHead(200, { "content-length": limits.imageBytes + 1 });
  response.write(png(100));
};
const breaksOff: Listener = (_request, response) => {
  response.writeHead(200, { "content-length": 1_000 });
  response.write(png(100), () => response.destroy());
};
const kinds = "no image; it must return JPEG, PNG, WebP, AVIF, HEIC or GIF.";
const blocked = "after a redirect: blocked URL";
const inside: HostOptions = {
  resolve: (name) => [name === "inside.example" ? "10.0.0.1" : publicAddress],
};

const failures: [string, Listener, message: string, host?: HostOptions][] = [
  ["a 404", answer(404, {}, "nothing"), "the host responded with status 404."],
  ["a response without a body", answer(204), "the URL returns no image"],
  ["a page", answer(200, { "content-type": "image/png" }, "<html>"), kinds],
  ["an image whose content-length is too large", tooLarge, "image too large"],
  ["a response that breaks off", breaksOff, "the host is unreachable"],
  ["an endless redirect", redirectTo("/person.jpg"), "it is redirected more than 3 times."],
  ["a private IP", redirectTo("https://10.0.0.1/a.jpg"), `${blocked}; the host is not public.`],
  ["loopback", redirectTo("https://127.0.0.1/a.jpg"), "allowPrivateImages allows loopback."],
  ["the metadata of a cloud", redirectTo("http://169.254.169.254/latest/meta-data/"), blocked],
  ["http", redirectTo("http://shop.example/a.jpg"), `${blocked}; use https`],
  ["a password", redirectTo("https://user:secret@shop.example/a.jpg"), "redirect: invalid URL"],
  ["an invalid URL", redirectTo("https://[::1/"), "after a redirect: invalid URL"],
  ["a private host", redirectTo("https://inside.example/"), `${blocked}; its host name`, inside],
  ["a redirect without a target", answer(302), "status 302"],
];

describe("a failed image fetch", () => {
  test.each(failures)(
    "rejects the submission without a charge: %s",
    async (_name, listener, message, host = {}) => {
      const served = await fetchingServer(servePerson(listener), { host });
      const rejected = await served.submit({}, { "idempotency-key": "order-1" });
      expect(rejected.status).toBe(400);
      expect(rejected.detail).toMatch(/^person_url: image fetch failed; /);
      expect(rejected.detail).toContain(message);
      await served.nothingHappened();
      expect(served.requests).toEqual([]);
    },
  );

  test.each([
    ["an unknown host", [], "the host is unreachable."],
    ["a host with a private IP", ["192.168.1.10"], "blocked URL; its host name"],
    ["a host with a loopback IP", ["127.0.0.1"], "allowPrivateImages"],
    ["a host with public and private IPs", [publicAddress, "fd00::1"], "blocked URL"],
  ])("connects to no IP of %s", async (_name, addresses, words) => {
    const { submit, host, nothingHappened } = await fetchingServer(images, {
      host: { resolve: () => addresses },
    });
    const rejected = await submit();
    expect(rejected.status).toBe(400);
    expect(rejected.detail).toContain(words);
    expect(host.connected).toEqual([]);
    await nothingHappened();
  });

  test("stops reading a body without content-length at the limit", async () => {
    let closed: Promise<unknown> | undefined;
    let written = 0;
    const { submit, nothingHappened } = await fetchingServer(
      servePerson((_request, response) => {
        closed = new Promise((resolve) => response.once("close", resolve));
        const part = png(1_000_000);
        const write = (): void => {
          if (response.destroyed || written >= 100_000_000) return;
          written += part.length;
          response.write(part, write);
        };
        write();
      }),
    );
    expect((await submit()).detail).toContain("image too large");
    await closed;
    // The operating system buffers some bytes.
    expect(written).toBeLessThan(50_000_000);
    await nothingHappened();
  });

  test.each([
    ["before its response", () => undefined],
    ["in the middle of its body", (response) => response.write(png(100))],
  ] satisfies [string, (response: Parameters<Listener>[1]) => unknown][])(
    "times out after 10 seconds if the host stops %s",
    async (_when, begin) => {
      let closed: Promise<unknown> | undefined;
      const { mock, submit, nothingHappened } = await fetchingServer(
        servePerson((_request, response) => {
          closed = new Promise((resolve) => response.once("close", resolve));
          begin(response);
        }),
      );
      let rejected: Awaited<ReturnType<typeof submit>> | undefined;
      const response = submit().then((given) => (rejected = given));
      await mock.clock.advance("9999ms");
      expect(rejected).toBeUndefined();
      await mock.clock.advance("1ms");
      expect((await response).detail).toBe(
        "person_url: image fetch failed; it did not arrive within 10 seconds.",
      );
      await closed;
      expect(mock.clock.pending).toBe(0);
      await nothingHappened();
    },
  );

  test.each([
    ["of an unknown authority", "shop.example", false],
    ["for another name", "other.example", true],
  ])("has the error code for a certificate %s", async (_name, name, trust) => {
    const { submit, host, nothingHappened } = await fetchingServer(images, { host: { trust } });
    const rejected = await submit({ person_url: `https://${name}:${host.port}/person.jpg` });
    expect(rejected.status).toBe(400);
    expect(rejected.detail).toMatch(
      /person_url: image fetch failed; the host is unreachable \([A-Z_]*(CERT|SIGNATURE)[A-Z_]*\)\./,
    );
    await nothingHappened();
  });

  test("names the first field that failed", async () => {
    const { submit, at } = await fetchingServer(
      servePerson((_request, response) => response.writeHead(410).end()),
    );
    const rejected = await submit({
      person_url: at("/shirt.png"),
      garment_urls: undefined,
      clothing: [at("/shirt.png"), at("/a"), at("/b")],
    });
    expect(rejected.detail).toBe(
      "clothing[1]: image fetch failed; the host responded with status 410.",
    );
  });
});
