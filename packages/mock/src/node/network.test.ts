import { describe, expect, test } from "vitest";

import { createMock } from "../mock.ts";
import { caller, finished } from "../../test/caller.ts";
import { imageHost, publicAddress } from "../../test/image-host.ts";
import { asset, assetBytes } from "../../test/images.ts";
import { loopback } from "../../test/loopback.ts";
import { compositeEngine } from "../engine/composite/composite.ts";
import { nodeNetwork } from "./network.ts";

/** Starts an http server on this machine that has the images. */
const local = (status = 200) =>
  loopback((path) => ({
    status,
    content: assetBytes(path === "/person.jpg" ? "person.jpg" : "shirt.png"),
  }));

describe("nodeNetwork", () => {
  test("connects to the given IP addresses under any host name", async () => {
    const server = await local();
    const url = new URL("/a?b=c", server.url);
    url.hostname = "shop.example";
    const response = await nodeNetwork().connect(new Request(url), ["127.0.0.1"]);
    expect(server.arrived).toMatchObject([{ path: "/a?b=c", headers: { host: url.host } }]);
    expect(Buffer.from(await response.arrayBuffer()).equals(assetBytes("shirt.png"))).toBe(true);
  });

  test("connects to the next IP address when one fails", async () => {
    const url = new URL((await local()).url);
    url.hostname = "shop.example";
    const response = await nodeNetwork().connect(new Request(url), ["::1", "127.0.0.1"]);
    expect(response.status).toBe(200);
  });

  test.each([204, 304, 302, 404, 599])("returns a response with status %i", async (status) => {
    const { url } = await local(status);
    const response = await nodeNetwork().connect(new Request(url), ["127.0.0.1"]);
    expect(response.status).toBe(status);
    await response.body?.cancel();
  });

  test("resolves a host name to all its IP addresses, and rejects an unknown one", async () => {
    const network = nodeNetwork();
    const addresses = await network.resolve("localhost");
    expect(addresses.length).toBeGreaterThan(0);
    expect(["127.0.0.1", "::1"]).toEqual(expect.arrayContaining([...addresses]));
    // The code depends on the resolver: it may have no network.
    await expect(network.resolve("unknown.invalid")).rejects.toThrow(/ENOTFOUND|EAI_AGAIN/);
  });

  test("ends with the signal of the request, before and during the response", async () => {
    let closed = 0;
    const { url, network } = await imageHost((request, response) => {
      response.once("close", () => (closed += 1));
      if (request.url === "/begun") response.write("some of many bytes");
    });
    const stop = new AbortController();
    const get = (path: string): Promise<Response> =>
      network.connect(new Request(`${url}${path}`, { signal: stop.signal }), []);
    const silent = get("/silent");
    const begun = await get("/begun");
    const body = begun.arrayBuffer();
    stop.abort();
    await expect(silent).rejects.toThrow("The request was aborted.");
    await expect(body).rejects.toThrow("The request was aborted.");
    await expect(get("/late")).rejects.toThrow("abort");
    await expect.poll(() => closed, { interval: 2 }).toBeGreaterThanOrEqual(1);
  });
});

describe("images of this machine", () => {
  test.each([
    ["through nodeNetwork", { network: nodeNetwork() }],
    ["through the global fetch", {}],
  ])("are fetched if that is allowed, %s", async (_over, settings) => {
    const { url } = await local();
    const fields = { person_url: `${url}/person.jpg`, garment_urls: [`${url}/shirt.png`] };
    const closed = createMock({ clock: "manual", images: "fetch", ...settings });
    expect((await caller(closed).submit(fields)).detail).toContain("allowPrivateImages");
    const mock = createMock({
      clock: "manual",
      images: "fetch",
      allowPrivateImages: true,
      engine: await compositeEngine(),
      ...settings,
    });
    const call = caller(mock);
    const fetched = await finished(mock, call, fields);
    const sent = await finished(mock, call, {
      person_image_b64: asset("person.jpg"),
      garment_urls: [],
      garment_images_b64: [asset("shirt.png")],
    });
    const [first, second] = await Promise.all(
      [fetched, sent].map(async ({ result_url }) => {
        const image = await mock.fetch(result_url ?? "");
        return Buffer.from(await image.arrayBuffer());
      }),
    );
    expect(first && second && first.equals(second)).toBe(true);
    const lost = await call.submit({ ...fields, person_url: "http://127.0.0.1:1/person.jpg" });
    expect(lost.detail).toContain("person_url: image fetch failed; the host is unreachable");
  });

  test("are not fetched from other machines in a private network", async () => {
    const network = nodeNetwork({ resolve: async () => ["192.168.1.10"] });
    const mock = createMock({ images: "fetch", allowPrivateImages: true, network });
    const refused = await caller(mock).submit({ person_url: "https://shop.example/person.jpg" });
    expect(refused.detail).toContain("image fetch failed; blocked URL");
    mock.close();
  });
});

describe("webhooks", () => {
  test("go to the checked IP address, under the host name of the receiver", async () => {
    const bodies: string[] = [];
    const { url, network, connected } = await imageHost((request, response) => {
      request.setEncoding("utf8").on("data", (text: string) => bodies.push(text));
      request.on("end", () => response.writeHead(204).end());
    });
    const mock = createMock({ clock: "manual", allowPrivateWebhooks: false, network });
    const { job_id } = await finished(mock, caller(mock), { webhook_url: `${url}/hook` });
    await mock.clock.runAll();
    expect(await mock.webhooks.deliveries(job_id)).toMatchObject([
      { state: "delivered", attempts: [{ status: 204 }] },
    ]);
    expect(connected).toEqual([[publicAddress]]);
    expect(JSON.parse(bodies.join(""))).toMatchObject({ event: "tryon.completed", job_id });
  });

  test("are blocked once a host name has a private IP address", async () => {
    const { url, network, connected } = await imageHost(
      (_request, response) => response.writeHead(503).end(),
      { resolve: (_name, time) => (time === 1 ? [publicAddress] : ["10.0.0.1"]) },
    );
    const mock = createMock({ clock: "manual", network });
    const { job_id } = await finished(mock, caller(mock), { webhook_url: `${url}/hook` });
    await mock.clock.runAll();
    const [delivery] = await mock.webhooks.deliveries(job_id);
    expect(delivery?.attempts.map(({ status }) => status)).toEqual([503, null, null, null]);
    expect(delivery?.attempts[1]?.error).toContain("blocked URL");
    expect(connected).toEqual([[publicAddress]]);
  });
});
