import { readFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "@tryon/test-kit/repository";
import { describe, expect, test } from "vitest";

import { served } from "../../test/served.ts";
import { balanceOf, failureOf, withFaults } from "../../test/with-faults.ts";
import type { FaultInput } from "./fault.ts";
import { gatewayNamed, gatewayNames } from "./gateways.ts";

const on = "POST /api/v1/tryon";
const key = { "idempotency-key": "once" };

const late = gatewayNames.filter((name) => gatewayNamed(name).after !== undefined);
const closing = gatewayNames.filter((name) => gatewayNamed(name).closes === true);
const early = gatewayNames.filter((name) => ![...late, ...closing].includes(name));

describe.each([
  ["in process", () => Promise.resolve(withFaults())],
  ["over HTTP", () => served()],
])("a gateway %s", (transport, setUp) => {
  test.each(early)("%s responds before the work", async (name) => {
    const { mock, submit } = await setUp();
    mock.faults.add({ on, gateway: name });
    const { status, headers, body } = gatewayNamed(name);
    // Over HTTP, `fetch` hides a 407.
    if (status === 407 && transport === "over HTTP") {
      await failureOf(submit());
      return;
    }
    const response = await submit();
    expect(response.status).toBe(status);
    expect(Object.fromEntries(response.headers)).toMatchObject(headers);
    expect(await response.text()).toBe(body);
    expect(await balanceOf(mock)).toBe(1_000);
  });

  test.each(late)("%s responds after its time limit, and the work goes on", async (name) => {
    const { mock, submit, get } = await setUp();
    mock.faults.add({ on, times: 1, gateway: name });
    const { status, headers, body, after = 0 } = gatewayNamed(name);
    // The response would be ready at once.
    const cut = submit({}, key);
    await mock.journal.waitFor(on, { until: "arrived" });
    await mock.clock.advance(after - 1);
    expect(mock.journal.entries({ method: "POST" })).toMatchObject([{ durationMs: null }]);
    await mock.clock.advance(1);
    const response = await cut;
    expect(response.status).toBe(status);
    expect(Object.fromEntries(response.headers)).toMatchObject(headers);
    expect(await response.text()).toBe(body);
    await mock.clock.advance("2s");
    expect(await balanceOf(mock)).toBe(992);
    const again = await submit({}, key);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await (await get("/api/v1/tryon")).json()).toMatchObject({ jobs: [{}] });
    expect(mock.clock.pending).toBe(0);
  });

  test("sends no header of the service", async () => {
    const { mock, account } = await setUp();
    mock.faults.add({ on: "* *", gateway: "nginx-403-page" });
    const { headers } = await account();
    const names = [...headers.keys()].filter((name) => !/^(connection|keep-alive)$/.test(name));
    const own = ["content-length", "content-type", "date", "server"];
    expect(own).toEqual(expect.arrayContaining(names));
  });

  test("cuts after another time with cutAfter", async () => {
    const { mock, submit } = await setUp();
    mock.faults.add({ on, gateway: "nginx-404-late", cutAfter: "2s" });
    const cut = submit({ wait: true });
    await mock.journal.waitFor(on, { until: "arrived" });
    await mock.clock.advance("2s");
    expect((await cut).status).toBe(404);
    expect(await balanceOf(mock)).toBe(992);
  });
});

test.each(closing)("%s in process loses its response in the reset", async (name) => {
  const { mock, submit } = withFaults();
  mock.faults.add({ on, gateway: name });
  expect(await failureOf(submit())).toMatchObject({ message: "fetch failed" });
  expect(await balanceOf(mock)).toBe(1_000);
});

describe.each(closing)("%s over HTTP", (name) => {
  const head = `POST /api/v1/tryon HTTP/1.1\r\nhost: a\r\nauthorization: Bearer svc_live_mock\r\ncontent-type: application/json\r\ncontent-length: 9000000\r\n`;

  test("responds after the headers, and closes the connection", async () => {
    const { mock, open } = await served();
    mock.faults.add({ on, gateway: name });
    const { closed } = open(`${head}\r\n`);
    expect(await closed).toMatch(/^HTTP\/1\.1 413 [^]*connection: close\r\n[^]*\r\n\r\n./i);
  });

  test("resets an upload", async () => {
    const { mock, open } = await served();
    mock.faults.add({ on, gateway: name });
    const connection = open(`${head}\r\n`);
    connection.socket.write("x".repeat(9_000_000));
    await connection.closed;
    expect(connection.error()).toMatch(/^(ECONNRESET|EPIPE)$/);
  });

  test("responds to Expect: 100-continue instead of asking for the body", async () => {
    const { mock, open } = await served();
    mock.faults.add({ on, times: 1, gateway: name });
    const expecting = `${head}expect: 100-continue\r\n\r\n`;
    expect(await open(expecting).closed).toMatch(/^HTTP\/1\.1 413 /);
    await open(expecting).until("HTTP/1.1 100 Continue\r\n\r\n");
  });
});

test("the guide lists every gateway with its status, time and cause", () => {
  const page = readFileSync(join(root, "docs/guides/fault-injection.md"), "utf8");
  const [, section = ""] = page.split("\n## Play a gateway\n");
  const [table = ""] = section.split("\n## ");
  const documented = [...table.matchAll(/^\| `([\w-]+)` +\|(.+)\|(.+)\|(.+)\|$/gm)].map((cells) =>
    cells.slice(1).map((cell) => cell.trim()),
  );
  const actual = gatewayNames.map((name) => {
    const { status, after, closes, cause } = gatewayNamed(name);
    const before = closes === true ? "after the headers" : "at once";
    return [name, String(status), after === undefined ? before : `${after / 1_000} s`, cause];
  });
  expect(documented).toEqual(actual);
});

test.each<[Omit<FaultInput, "on">, string]>([
  [{ gateway: "nginx-413-page", cutAfter: 1 }, "it responds at once. Leave cutAfter out."],
  [{ gateway: "haproxy-413-close", cutAfter: 1 }, "it responds at once. Leave cutAfter out."],
  [{ gateway: "nginx-504-page", status: 502 }, "the gateway determines the response"],
  [{ gateway: "nginx-504-page", headers: {} }, "gateway and headers contradict each other"],
])("%j is refused", (fault, words) => {
  const { mock } = withFaults();
  expect(() => mock.faults.add({ on, ...fault })).toThrow(words);
});

test("an unknown gateway is refused with the names, and webhooks have none", () => {
  const { mock } = withFaults();
  // Callers without types may pass anything.
  const add = (gateway: string) => () =>
    mock.faults.add({ on, gateway: gateway as "nginx-504-page" });
  expect(add("nginx")).toThrow('gateway must be one of "nginx-502-page",');
  expect(add("toString")).toThrow('; got "toString".');
  const webhook = () => mock.faults.add({ on: "webhook", gateway: "nginx-504-page" });
  expect(webhook).toThrow("gateway is not for webhooks");
});

test("responses of the API are not for caches, and images are", async () => {
  const { mock, account, submitted, get, resultOf } = withFaults();
  expect((await account()).headers.get("cache-control")).toBe("no-store");
  expect((await get("/nowhere")).headers.get("cache-control")).toBe("no-store");
  const id = await submitted();
  await mock.clock.advance("2s");
  const { pathname, search } = await resultOf(id);
  expect((await get(`${pathname}${search}`)).headers.get("cache-control")).toBeNull();
  mock.faults.add({ on: "* *", status: 503, headers: { "cache-control": "max-age=60" } });
  expect((await account()).headers.get("cache-control")).toBe("max-age=60");
});
