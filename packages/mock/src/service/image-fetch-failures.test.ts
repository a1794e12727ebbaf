import { describe, expect, test } from "vitest";

import {
  fetchingServer,
  personAnswers,
  images,
  png,
  type FetchingOptions,
  type Listener,
} from "../../test/fetching-server.ts";
import { publicAddress } from "../../test/image-host.ts";
import { limits } from "./catalogue.ts";

const redirectTo =
  (location: string): Listener =>
  (_request, response) => {
    response.writeHead(302, { location }).end();
  };

const failures: Readonly<
  Record<string, { answer: Listener; says: string; options?: FetchingOptions }>
> = {
  "an address where nothing is": {
    answer: (_request, response) => response.writeHead(404).end("nothing"),
    says: "the host answered with status 404.",
  },
  "an answer without a body": {
    answer: (_request, response) => response.writeHead(204).end(),
    says: "the address gives no image",
  },
  "a page": {
    answer: (_request, response) =>
      response.writeHead(200, { "content-type": "image/png" }).end("<html>"),
    says: "no image; let it give JPEG, PNG, WebP, AVIF, HEIC or GIF.",
  },
  "an image that says it is too long": {
    answer: (_request, response) => {
      response.writeHead(200, { "content-length": limits.imageBytes + 1 });
      response.write(png(100));
    },
    says: "image too large",
  },
  "an answer that breaks off": {
    answer: (_request, response) => {
      response.writeHead(200, { "content-length": 1_000 });
      response.write(png(100), () => response.destroy());
    },
    says: "the host cannot be reached",
  },
  "a redirect without end": {
    answer: redirectTo("/person.jpg"),
    says: "it is redirected more than 3 times.",
  },
  "a redirect to a private address": {
    answer: redirectTo("https://10.0.0.1/person.jpg"),
    says: "after a redirect: blocked URL; the host is not a public one.",
  },
  "a redirect to this machine": {
    answer: redirectTo("https://127.0.0.1/person.jpg"),
    says: "The setting allowPrivateImages admits loopback.",
  },
  "a redirect to the metadata of a cloud": {
    answer: redirectTo("http://169.254.169.254/latest/meta-data/"),
    says: "after a redirect: blocked URL",
  },
  "a redirect to http": {
    answer: redirectTo("http://shop.example/person.jpg"),
    says: "after a redirect: blocked URL; http is not taken",
  },
  "a redirect with a password": {
    answer: redirectTo("https://user:secret@shop.example/person.jpg"),
    says: "after a redirect: invalid URL",
  },
  "a redirect to what is no address": {
    answer: redirectTo("https://[::1/"),
    says: "after a redirect: invalid URL",
  },
  "a redirect to a name with a private address": {
    answer: redirectTo("https://inside.example/person.jpg"),
    options: {
      host: { resolve: (name) => [name === "inside.example" ? "10.0.0.1" : publicAddress] },
    },
    says: "after a redirect: blocked URL; the name of its host",
  },
  "a redirect to nowhere": {
    answer: (_request, response) => response.writeHead(302).end(),
    says: "status 302",
  },
};

describe("an image that cannot be fetched", () => {
  test.each(Object.entries(failures))(
    "is refused, and nothing has happened: %s",
    async (_name, failure) => {
      const { submit, nothingHappened, requests } = await fetchingServer(
        personAnswers(failure.answer),
        failure.options,
      );
      const refused = await submit({}, { "idempotency-key": "order-1" });
      expect(refused.status).toBe(400);
      expect(refused.detail).toMatch(/^person_url: image fetch failed; /);
      expect(refused.detail).toContain(failure.says);
      await nothingHappened();
      expect(requests).toEqual([]);
    },
  );

  test.each([
    ["a name that does not exist", [], "the host cannot be reached."],
    ["a private name", ["192.168.1.10"], "blocked URL; the name of its host"],
    ["a name of this machine", ["127.0.0.1"], "allowPrivateImages"],
    ["a name that is public and private", [publicAddress, "fd00::1"], "blocked URL"],
  ])("is never connected to: %s", async (_name, addresses, words) => {
    const { submit, host, nothingHappened } = await fetchingServer(images, {
      host: { resolve: () => addresses },
    });
    const refused = await submit();
    expect(refused.status).toBe(400);
    expect(refused.detail).toContain(words);
    expect(host.connected).toEqual([]);
    await nothingHappened();
  });

  test("is not read beyond the bound when nothing says how long it is", async () => {
    let closed: Promise<unknown> | undefined;
    let written = 0;
    const { submit, nothingHappened } = await fetchingServer(
      personAnswers((_request, response) => {
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
    // What the machine holds between two sockets comes on top.
    expect(written).toBeLessThan(50_000_000);
    await nothingHappened();
  });

  test.each([
    ["before it answers", () => undefined],
    ["in the middle of its body", (response) => response.write(png(100))],
  ] satisfies [string, (response: Parameters<Listener>[1]) => unknown][])(
    "is given up after ten seconds of a host that stops %s",
    async (_when, begin) => {
      let closed: Promise<unknown> | undefined;
      const { mock, submit, nothingHappened } = await fetchingServer(
        personAnswers((_request, response) => {
          closed = new Promise((resolve) => response.once("close", resolve));
          begin(response);
        }),
      );
      let refused: Awaited<ReturnType<typeof submit>> | undefined;
      const answer = submit().then((given) => (refused = given));
      await mock.clock.advance("9999ms");
      expect(refused).toBeUndefined();
      await mock.clock.advance("1ms");
      expect((await answer).detail).toBe(
        "person_url: image fetch failed; it had not come within 10 seconds.",
      );
      await closed;
      expect(mock.clock.pending).toBe(0);
      await nothingHappened();
    },
  );

  test.each([
    ["of an authority that is not trusted", "shop.example", false],
    ["for another name", "other.example", true],
  ])("stands on a host with a certificate %s", async (_name, name, trust) => {
    const { submit, host, nothingHappened } = await fetchingServer(images, { host: { trust } });
    const refused = await submit({ person_url: `https://${name}:${host.port}/person.jpg` });
    expect(refused.status).toBe(400);
    expect(refused.detail).toMatch(
      /person_url: image fetch failed; the host cannot be reached \([A-Z_]*(CERT|SIGNATURE)[A-Z_]*\)\./,
    );
    await nothingHappened();
  });

  test("is named by its field, the first one of several", async () => {
    const { submit, at } = await fetchingServer(
      personAnswers((_request, response) => response.writeHead(410).end()),
    );
    const refused = await submit({
      person_url: at("/shirt.png"),
      garment_urls: undefined,
      clothing: [at("/shirt.png"), at("/a"), at("/b")],
    });
    expect(refused.detail).toBe(
      "clothing[1]: image fetch failed; the host answered with status 410.",
    );
  });
});
