import { describe, expect, test } from "vitest";

import { stockEngine } from "../engine/stock.ts";
import { Store } from "../store/store.ts";
import { bareService } from "../../test/bare-service.ts";
import { caller, tryOn } from "../../test/caller.ts";
import { fetchingServer, servePerson, images, png } from "../../test/fetching-server.ts";
import { publicAddress } from "../../test/image-host.ts";
import { assetBytes } from "../../test/images.ts";
import { manualHost } from "../../test/manual-host.ts";
import { limits } from "./catalogue.ts";

const jpeg = assetBytes("person.jpg");

describe("a fetched image", () => {
  test("reaches the engine as bytes, from the IP that was checked", async () => {
    const received: unknown[] = [];
    const { submit, requests, host } = await fetchingServer((request, response, path) => {
      received.push({ path, host: request.headers.host, accept: request.headers.accept });
      images(request, response, path);
    });
    expect((await submit()).status).toBe(200);
    expect(received).toContainEqual({
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

  test("may be behind three redirects, also relative ones", async () => {
    const { submit } = await fetchingServer(
      servePerson((request, response, path) => {
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

  test("may have as many bytes as an image in base64", async () => {
    const { submit, at } = await fetchingServer(
      servePerson((_request, response, path) => {
        response.end(png(limits.imageBytes + Number(path.slice(1))));
      }),
    );
    expect((await submit({ person_url: at("/0") })).status).toBe(200);
    const rejected = await submit({ person_url: at("/1") });
    expect(rejected.status).toBe(400);
    expect(rejected.detail).toContain("person_url: image fetch failed; image too large");
    expect(rejected.detail).toContain("10500000 bytes");
  });

  test("is requested after validation and before the check of the credits", async () => {
    const { mock, host, at } = await fetchingServer(
      servePerson((_request, response) => response.end()),
    );
    const empty = caller(mock, "svc_live_empty");
    const garments = { garment_urls: [at("/shirt.png")] };
    expect((await empty.submit({ person_url: at("/none"), ...garments })).status).toBe(400);
    const shirts = { person_url: at("/shirt.png"), ...garments };
    expect((await empty.submit(shirts)).status).toBe(402);
    const requests = host.connected.length;
    expect((await empty.submit({ ...shirts, person_url: "https://a.invalid/" })).status).toBe(400);
    expect((await empty.submit({ ...shirts, garment_urls: [] })).status).toBe(400);
    expect((await empty.submit({ ...shirts, seed: -1 })).status).toBe(422);
    expect(host.connected).toHaveLength(requests);
  });

  test('is requested only with images: "fetch", but .invalid hosts always fail', async () => {
    const { submit, host, mock } = await fetchingServer(images, { images: "off" });
    expect((await submit()).status).toBe(200);
    expect((await submit({ person_url: "https://shop.invalid/a.png" })).detail).toContain(
      "person_url: image fetch failed",
    );
    expect(host.resolved).toEqual([]);
    mock.close();
    const plain = await fetchingServer(images, { images: "off", magic: false });
    expect((await plain.submit({ person_url: "https://shop.invalid/a.png" })).status).toBe(200);
  });
});

test("a host with changing IPs is requested at the IP that was checked", async () => {
  const { submit, host } = await fetchingServer(images, {
    host: { resolve: (_name, time) => (time === 1 ? [publicAddress] : ["169.254.169.254"]) },
  });
  const garment = { garment_urls: [], garment_images_b64: [jpeg.toString("base64")] };
  expect((await submit(garment)).status).toBe(200);
  expect(host.resolved).toEqual(["shop.example"]);
  expect(host.connected).toEqual([[publicAddress]]);
});

/** Starts a server whose image host responds only after `open`. */
async function delayedFetches(exists: () => boolean = () => true) {
  const gate = Promise.withResolvers<void>();
  let fetches = 0;
  const calls = await fetchingServer((request, response, path) => {
    fetches += 1;
    const respond = async (): Promise<void> => {
      await gate.promise;
      if (exists()) images(request, response, path);
      else response.writeHead(404).end();
    };
    void respond();
  });
  return { calls, fetches: () => fetches, open: gate.resolve };
}

describe("an idempotency key with fetched images", () => {
  test("replays the response although the images no longer exist", async () => {
    let isGone = false;
    const { submit, call, host } = await fetchingServer((request, response, path) => {
      if (isGone) response.writeHead(404).end();
      else images(request, response, path);
    });
    const key = { "idempotency-key": "order-1" };
    const first = await submit({}, key);
    isGone = true;
    const again = await submit({}, key);
    expect(again.status).toBe(200);
    expect(again.body.job_id).toBe(first.body.job_id);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect((await submit({ seed: 1 }, key)).status).toBe(409);
    expect(host.connected).toHaveLength(2);
    expect((await submit({}, { "idempotency-key": "order-2" })).status).toBe(400);
    expect((await call.account()).body.credits_remaining).toBe(992);
  });

  test("shares one fetch and one job among concurrent requests with the same body only", async () => {
    const { calls, fetches, open } = await delayedFetches();
    const key = { "idempotency-key": "order-1" };
    const repeats = [calls.submit({}, key), calls.submit({}, key), calls.submit({}, key)];
    const others = [
      calls.submit({}, { "idempotency-key": "order-2" }),
      calls.submit({}),
      calls.submit({}),
    ];
    await expect.poll(() => fetches(), { interval: 2 }).toBe(8);
    open();
    const ids = (await Promise.all(repeats)).map(({ body }) => body.job_id);
    const statuses = (await Promise.all(others)).map(({ status }) => status);
    expect(new Set(ids).size).toBe(1);
    expect(statuses).toEqual([200, 200, 200]);
    expect(fetches()).toBe(8);
    expect((await calls.call.account()).body.credits_remaining).toBe(1_000 - 4 * 8);
  });

  test("shares a failed fetch among concurrent requests, but not with later ones", async () => {
    let exists = false;
    const { calls, fetches, open } = await delayedFetches(() => exists);
    const key = { "idempotency-key": "order-1" };
    const repeats = [calls.submit({}, key), calls.submit({}, key)];
    await expect.poll(() => fetches(), { interval: 2 }).toBe(2);
    open();
    for (const { status } of await Promise.all(repeats)) expect(status).toBe(400);
    exists = true;
    expect((await calls.submit({}, key)).status).toBe(200);
    expect(fetches()).toBe(4);
  });

  test("lets a manual clock advance while requests wait for a host", async () => {
    const { calls, fetches } = await delayedFetches();
    const key = { "idempotency-key": "order-1" };
    const repeats = [calls.submit({}, key), calls.submit({}, key)];
    await expect.poll(() => fetches(), { interval: 2 }).toBe(2);
    await calls.mock.clock.advance("10s");
    for (const { status, detail } of await Promise.all(repeats)) {
      expect(status).toBe(400);
      expect(detail).toContain("within 10 seconds");
    }
  });
});

test("warns after 2 seconds if a fetch waits for a manual clock", async () => {
  const machine = manualHost();
  const never = new Promise<never>(() => undefined);
  const { service } = bareService({
    store: new Store(),
    engine: stockEngine(),
    network: { resolve: () => never, connect: () => never },
    host: machine.host,
  });
  const { id: keyId } = service.keys.create({});
  const fields = tryOn();
  const request = {
    keyId,
    fields,
    body: fields,
    idempotencyKey: undefined,
    origin: "https://a.example",
  };
  void service.submissions.submit(request);
  await expect.poll(() => machine.pending(), { interval: 1 }).not.toEqual([]);
  machine.pass(2_000);
  expect(machine.warnings).toMatchObject([expect.stringContaining("clock.advance")]);
});

test("close aborts a fetch in progress", async () => {
  let closed: Promise<unknown> | undefined;
  const { mock, submit } = await fetchingServer((_request, response) => {
    closed = new Promise((resolve) => response.once("close", resolve));
  });
  const response = submit();
  response.catch(() => undefined);
  await expect.poll(() => closed !== undefined, { interval: 2 }).toBe(true);
  mock.close();
  await expect(response).rejects.toThrow("has been closed");
  await closed;
});
