import { request } from "node:http";
import { networkInterfaces } from "node:os";

import { afterEach, describe, expect, test } from "vitest";

import { createMock } from "../mock.ts";
import { controls } from "../../test/controls.ts";
import { rawConnection } from "../../test/raw-connection.ts";
import { failureOf, plainCalls } from "../../test/with-faults.ts";
import { serve, type Serving, type ServeOptions } from "./serve.ts";

const running: Serving[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.close();
});

async function start(options: ServeOptions = {}) {
  const mock = createMock({ clock: "manual" });
  const server = await serve(mock, options);
  running.push(server);
  return { mock, server, ...controls(fetch, server.url) };
}

/** Addresses of this machine that are not loopback: a call to one comes from it. */
function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => family === "IPv4" && !internal)
    .map(({ address }) => address);
}

/** The status of `GET /__mock/options` under headers that `fetch` would not send. */
function statusUnder(server: Serving, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(
      { host: "127.0.0.1", port: server.port, path: "/__mock/options", headers },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    call.once("error", reject);
    call.end();
  });
}

describe("the control API over HTTP", () => {
  test("steers the server from the same machine", async () => {
    const { mock, post, get } = await start();
    const before = mock.clock.now();
    expect(await post("clock", { advance_ms: 1_000 })).toEqual({
      status: 200,
      body: { now: before + 1_000 },
    });
    expect((await get("options")).status).toBe(200);
    expect(await post("reset")).toEqual({ status: 200, body: {} });
    expect(mock.clock.now()).toBe(before);
  });

  test("goes on when a reset breaks the service's calls off", async () => {
    const { mock, server, post } = await start();
    const { submit } = plainCalls(fetch, server.url, {
      authorization: `Bearer ${mock.keys.live}`,
      "content-type": "application/json",
    });
    const held = failureOf(submit({ wait: true }));
    await mock.journal.waitFor("POST /api/v1/tryon", { until: "arrived" });
    expect(await post("reset")).toEqual({ status: 200, body: {} });
    expect((await held).message).toBe("fetch failed");
  });

  test("is refused under a foreign name, and behind a proxy, unless it is opened", async () => {
    const closed = await start();
    const open = await start({ openControl: true });
    for (const headers of [
      { host: "shop.example" },
      { host: `192.168.0.7:${closed.server.port}` },
      { "x-forwarded-for": "203.0.113.9" },
      { forwarded: "for=203.0.113.9" },
      { via: "1.1 proxy" },
    ]) {
      expect(await statusUnder(closed.server, headers)).toBe(403);
      expect(await statusUnder(open.server, headers)).toBe(200);
    }
    expect(await statusUnder(closed.server, { host: `localhost:${closed.server.port}` })).toBe(200);
    expect(await statusUnder(closed.server, { host: "[::1]" })).toBe(200);
  });

  test.each([
    "forwarded",
    "via",
    "cdn-loop",
    "x-forwarded",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-port",
    "x-forwarded-prefix",
    "x-forwarded-proto",
    "x-forwarded-server",
    "x-original-forwarded-for",
    "x-original-host",
    "x-envoy-external-address",
    "x-real-ip",
    "x-client-ip",
    "x-cluster-client-ip",
    "true-client-ip",
    "cf-connecting-ip",
    "fastly-client-ip",
    "x-azure-clientip",
    "x-appengine-user-ip",
  ])("is refused with the header %s of a proxy, even an empty one", async (name) => {
    const { server } = await start();
    for (const value of ["127.0.0.1", ""]) {
      expect(await statusUnder(server, { [name]: value })).toBe(403);
    }
  });

  test.each([
    ["http://shop.example", "localhost", "", 403],
    ["http://localhost", "shop.example", "", 403],
    ["http://localhost", "localhost.shop.example", "", 403],
    ["http://localhost.shop.example", "localhost", "", 403],
    ["http://localhost", "", "", 403],
    ["http://127.0.0.1:1", "localhost", "Forwarded: for=203.0.113.9\r\n", 403],
    ["http://127.0.0.1:1", "localhost", "X-Forwarded-Proto: https\r\n", 403],
    ["http://[::1]", "[::1]:4010", "", 200],
    ["http://localhost", "LOCALHOST:4010", "", 200],
    ["", "shop.example", "", 403],
    ["", "localhost:4010", "", 200],
  ])("judges the target %s/__mock/ under the host %j", async (origin, host, more, status) => {
    const { server } = await start();
    for (const path of ["/__mock/options", "/x/../__mock/options", "/%2e/__mock/options"]) {
      const target = `GET ${origin}${path} HTTP/1.1\r\nHost: ${host}\r\n${more}`;
      const connection = rawConnection(server.port, `${target}Connection: close\r\n\r\n`);
      expect(await connection.closed).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    }
  });

  test("is refused to callers on other machines, unless it is opened", async () => {
    const [address] = ownAddresses();
    // Without any network there is no other address to call from.
    if (address === undefined) return;
    const closed = await start({ host: "0.0.0.0" });
    const open = await start({ host: "0.0.0.0", openControl: true });
    const statusOf = async (server: Serving) =>
      (await fetch(`http://${address}:${server.port}/__mock/options`)).status;
    expect(await statusOf(closed.server)).toBe(403);
    expect(await statusOf(open.server)).toBe(200);
    const service = await fetch(`http://${address}:${closed.server.port}/api/discovery`);
    expect(service.status).toBe(200);
  });
});
