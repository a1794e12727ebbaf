import type { RequestListener } from "node:http";

import { describe, expect, onTestFinished, test } from "vitest";

import type { RenderRequest } from "../engine/engine.ts";
import { stockEngine } from "../engine/stock.ts";
import { createMock, type MockOptions } from "../mock.ts";
import { caller } from "../testing/caller.ts";
import { imageHost, publicAddress, type HostOptions } from "../testing/image-host.ts";
import { assetBytes } from "../testing/pictures.ts";
import { limits } from "./catalogue.ts";

const jpeg = assetBytes("person.jpg");

/** Bytes that begin as a PNG does. */
function png(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.write("\u0089PNG\r\n\u001A\n", "latin1");
  return bytes;
}

type Listener = (...call: [...Parameters<RequestListener>, path: string]) => void;

/** A server that fetches images, and the host that it fetches them from. */
async function setUp(
  answer: Listener,
  { host: hostOptions, ...options }: MockOptions & { host?: HostOptions } = {},
) {
  const host = await imageHost((request, response) => {
    answer(request, response, request.url ?? "");
  }, hostOptions);
  const requests: RenderRequest[] = [];
  const stock = stockEngine();
  const mock = createMock({
    clock: "manual",
    images: "fetch",
    network: host.network,
    engine: {
      name: "noting",
      render: (request) => stock.render((requests.push(request), request)),
    },
    ...options,
  });
  onTestFinished(() => mock.close());
  const call = caller(mock);
  const at = (path: string): string => `${host.url}${path}`;
  const submit = (fields: Readonly<Record<string, unknown>> = {}, extra = {}) =>
    call.submit(
      { person_url: at("/person.jpg"), garment_urls: [at("/shirt.png")], ...fields },
      extra,
    );
  const nothingHappened = async (): Promise<void> => {
    expect((await call.account()).body.credits_remaining).toBe(1_000);
    expect((await call.list()).body.jobs).toEqual([]);
  };
  return { mock, host, call, submit, requests, at, nothingHappened };
}

const pictures: Listener = (_request, response, path) => {
  response.end(path === "/person.jpg" ? jpeg : assetBytes("shirt.png"));
};

/** The person by an address that answers in some way; the garment is always there. */
function personAnswers(listener: Listener): Listener {
  return (request, response, path) => {
    if (path.startsWith("/shirt")) pictures(request, response, path);
    else listener(request, response, path);
  };
}

describe("images that are fetched", () => {
  test("reach the engine as bytes, by a connection to the address that was checked", async () => {
    const seen: unknown[] = [];
    const { submit, requests, host } = await setUp((request, response, path) => {
      seen.push({ path, host: request.headers.host, accept: request.headers.accept });
      pictures(request, response, path);
    });
    expect((await submit()).status).toBe(200);
    expect(seen).toContainEqual({
      path: "/person.jpg",
      host: `shop.example:${host.port}`,
      accept: "image/*",
    });
    expect(host.connected).toEqual([[publicAddress], [publicAddress]]);
    const [request] = requests;
    expect(request?.person).toMatchObject({ source: "bytes", mediaType: "image/jpeg" });
    expect(request?.garments).toMatchObject([{ source: "bytes", mediaType: "image/png" }]);
    const bytes = request?.person.source === "bytes" ? request.person.bytes() : undefined;
    expect(bytes && jpeg.equals(bytes)).toBe(true);
  });

  test("may stand behind three redirects, relative ones too", async () => {
    const { submit } = await setUp(
      personAnswers((request, response, path) => {
        const next = new Map([
          ["/person.jpg", "/2"],
          ["/2", "3"],
          ["/3", `https://${request.headers.host}/4`],
        ]).get(path);
        if (next === undefined) response.end(jpeg);
        else response.writeHead(307, { location: next }).end();
      }),
    );
    expect((await submit()).status).toBe(200);
  });

  test("may have as many bytes as an image in base64, and no more", async () => {
    const { submit, at } = await setUp(
      personAnswers((_request, response, path) => {
        response.end(png(limits.imageBytes + Number(path.slice(1))));
      }),
    );
    expect((await submit({ person_url: at("/0") })).status).toBe(200);
    const refused = await submit({ person_url: at("/1") });
    expect(refused.status).toBe(400);
    expect(refused.detail).toContain("person_url: image fetch failed; image too large");
    expect(refused.detail).toContain("10500000 bytes");
  });

  test("are asked for before credits, and after what the body alone can tell", async () => {
    const { mock, host, at } = await setUp(personAnswers((_request, response) => response.end()));
    const poor = caller(mock, "svc_live_empty");
    const garments = { garment_urls: [at("/shirt.png")] };
    expect((await poor.submit({ person_url: at("/none"), ...garments })).status).toBe(400);
    const shirts = { person_url: at("/shirt.png"), ...garments };
    expect((await poor.submit(shirts)).status).toBe(402);
    const asked = host.connected.length;
    expect((await poor.submit({ ...shirts, garment_urls: [] })).status).toBe(400);
    expect((await poor.submit({ ...shirts, seed: -1 })).status).toBe(422);
    expect(host.connected).toHaveLength(asked);
  });

  test("are not fetched unless the setting says so, but for a host that cannot be", async () => {
    const { submit, host, mock } = await setUp(pictures, { images: "off" });
    expect((await submit()).status).toBe(200);
    expect((await submit({ person_url: "https://shop.invalid/a.png" })).detail).toContain(
      "person_url: image fetch failed",
    );
    expect(host.resolved).toEqual([]);
    mock.close();
    const plain = await setUp(pictures, { images: "off", magic: false });
    expect((await plain.submit({ person_url: "https://shop.invalid/a.png" })).status).toBe(200);
  });
});

const redirectTo =
  (location: string): Listener =>
  (_request, response) => {
    response.writeHead(302, { location }).end();
  };

const failures: Readonly<
  Record<string, { answer: Listener; says: string; options?: MockOptions & { host?: HostOptions } }>
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
      const { submit, nothingHappened, requests } = await setUp(
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
    const { submit, host, nothingHappened } = await setUp(pictures, {
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
    const { submit, nothingHappened } = await setUp(
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
      const { mock, submit, nothingHappened } = await setUp(
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
    const { submit, host, nothingHappened } = await setUp(pictures, { host: { trust } });
    const refused = await submit({ person_url: `https://${name}:${host.port}/person.jpg` });
    expect(refused.status).toBe(400);
    expect(refused.detail).toMatch(
      /person_url: image fetch failed; the host cannot be reached \([A-Z_]*(CERT|SIGNATURE)[A-Z_]*\)\./,
    );
    await nothingHappened();
  });

  test("is named by its field, the first one of several", async () => {
    const { submit, at } = await setUp(
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

describe("a name that changes its address", () => {
  test("is connected to where it was checked", async () => {
    const { submit, host } = await setUp(pictures, {
      host: { resolve: (_name, time) => (time === 1 ? [publicAddress] : ["169.254.169.254"]) },
    });
    const garment = { garment_urls: [], garment_images_b64: [jpeg.toString("base64")] };
    expect((await submit(garment)).status).toBe(200);
    expect(host.resolved).toEqual(["shop.example"]);
    expect(host.connected).toEqual([[publicAddress]]);
  });
});

describe("an idempotency key of a call with fetched images", () => {
  test("answers again when the images have gone since", async () => {
    let gone = false;
    const { submit, call } = await setUp((request, response, path) => {
      if (gone) response.writeHead(404).end();
      else pictures(request, response, path);
    });
    const key = { "idempotency-key": "order-1" };
    const first = await submit({}, key);
    gone = true;
    const again = await submit({}, key);
    expect(again.status).toBe(200);
    expect(again.body.job_id).toBe(first.body.job_id);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect((await submit({ seed: 1 }, key)).status).toBe(409);
    expect((await submit({}, { "idempotency-key": "order-2" })).status).toBe(400);
    expect((await call.account()).body.credits_remaining).toBe(992);
  });

  test("is not used up by a fetch that failed", async () => {
    let there = false;
    const { submit } = await setUp((request, response, path) => {
      if (there) pictures(request, response, path);
      else response.writeHead(503).end();
    });
    const key = { "idempotency-key": "order-1" };
    expect((await submit({}, key)).status).toBe(400);
    there = true;
    const second = await submit({}, key);
    expect(second.status).toBe(200);
    expect(second.headers.get("idempotent-replayed")).toBeNull();
  });

  test("makes one job of two calls at once", async () => {
    const { submit, call } = await setUp(pictures);
    const key = { "idempotency-key": "order-1" };
    const [first, second] = await Promise.all([submit({}, key), submit({}, key)]);
    expect(second.body.job_id).toBe(first.body.job_id);
    expect((await call.account()).body.credits_remaining).toBe(992);
  });
});

test("closing the server ends a fetch that is under way", async () => {
  let closed: Promise<unknown> | undefined;
  const { mock, submit } = await setUp((_request, response) => {
    closed = new Promise((resolve) => response.once("close", resolve));
  });
  const answer = submit();
  answer.catch(() => undefined);
  await expect.poll(() => closed !== undefined, { interval: 2 }).toBe(true);
  mock.close();
  await expect(answer).rejects.toThrow("has been closed");
  await closed;
});
