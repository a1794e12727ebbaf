import { networkInterfaces } from "node:os";

import { describe, expect, onTestFinished, test } from "vitest";

import { controls } from "../../test/controls.ts";
import { rawConnection } from "../../test/raw-connection.ts";
import { failureOf, plainCalls, withFaults } from "../../test/with-faults.ts";
import { serve, type ServeOptions } from "./serve.ts";

async function start(options: ServeOptions = {}) {
  const { mock, headers } = withFaults();
  const server = await serve(mock, options);
  onTestFinished(() => server.close());
  /** Returns the status of a request that fetch does not send. */
  const statusOf = async (url: string, ...lines: readonly string[]): Promise<number> => {
    const head = [`GET ${url} HTTP/1.1`, ...lines, "Connection: close"].join("\r\n");
    const text = await rawConnection(server.port, `${head}\r\n\r\n`).closed;
    return Number(/^HTTP\/1.1 (\d+) /.exec(text)?.[1]);
  };
  const { submit } = plainCalls(fetch, server.url, headers);
  return { mock, server, submit, statusOf, ...controls(fetch, server.url) };
}

describe("the control API over HTTP", () => {
  test("is open on the same machine", async () => {
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

  test("responds to a reset that ends the requests of the service", async () => {
    const { mock, submit, post } = await start();
    const failure = failureOf(submit({ wait: true }));
    await mock.journal.waitFor("POST /api/v1/tryon", { until: "arrived" });
    expect(await post("reset")).toEqual({ status: 200, body: {} });
    expect((await failure).message).toBe("fetch failed");
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
  ])("is closed for the header %s of a proxy, unless `openControl` is set", async (name) => {
    const closed = await start();
    const open = await start({ openControl: true });
    for (const value of ["127.0.0.1", ""]) {
      const headers = ["Host: localhost", `${name}: ${value}`];
      expect(await closed.statusOf("/__mock/options", ...headers)).toBe(403);
      expect(await open.statusOf("/__mock/options", ...headers)).toBe(200);
    }
  });

  test.each([
    ["http://shop.example", "localhost", "X: 0", 403],
    ["http://localhost", "shop.example", "X: 0", 403],
    ["http://localhost", "localhost.shop.example", "X: 0", 403],
    ["http://localhost.shop.example", "localhost", "X: 0", 403],
    ["http://localhost", "", "X: 0", 403],
    ["http://127.0.0.1:1", "localhost", "Forwarded: for=203.0.113.9", 403],
    ["http://127.0.0.1:1", "localhost", "X-Forwarded-Proto: https", 403],
    ["http://[::1]", "[::1]:4010", "X: 0", 200],
    ["http://localhost", "LOCALHOST:4010", "X: 0", 200],
    ["", "shop.example", "X: 0", 403],
    ["", "192.168.0.7:4010", "X: 0", 403],
    ["", "[::1]", "X: 0", 200],
    ["", "localhost:4010", "X: 0", 200],
  ])("checks the target %s/__mock/ and the host %j", async (origin, host, more, status) => {
    const { statusOf } = await start();
    for (const path of ["/__mock/options", "/x/../__mock/options", "/%2e/__mock/options"]) {
      expect(await statusOf(`${origin}${path}`, `Host: ${host}`, more)).toBe(status);
    }
  });

  test("is closed to other machines, unless `openControl` is set", async () => {
    const ip = Object.values(networkInterfaces())
      .flatMap((interfaces) => interfaces ?? [])
      .find(({ family, internal }) => family === "IPv4" && !internal);
    // Without a network, this machine has no other IP address.
    if (ip === undefined) return;
    const closed = await start({ host: "0.0.0.0" });
    const open = await start({ host: "0.0.0.0", openControl: true });
    const statusAt = async (port: number, path: string): Promise<number> =>
      (await fetch(`http://${ip.address}:${port}${path}`)).status;
    expect(await statusAt(closed.server.port, "/__mock/options")).toBe(403);
    expect(await statusAt(open.server.port, "/__mock/options")).toBe(200);
    expect(await statusAt(closed.server.port, "/api/discovery")).toBe(200);
  });
});
