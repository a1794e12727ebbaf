import { execFileSync } from "node:child_process";

import { describe, expect, test } from "vitest";

import { failureOf, withFaults } from "../../../test/with-faults.ts";
import type { MockOptions } from "../../mock-interface.ts";
import type { RequestDetails, Requests } from "./page-routes.ts";

function setUp(options: MockOptions = {}) {
  const server = withFaults(options);
  const read = async (path: string): Promise<unknown> =>
    (await server.get(`/__mock/requests${path}`)).json();
  // The bodies are the results of the views.
  const requests = (query = "") => read(query) as Promise<Requests>;
  const details = (id: string) => read(`/${id}`) as Promise<RequestDetails>;
  return { ...server, requests, details };
}

describe("the requests of the control page", () => {
  test("are the newest that pass the filter, newest first, and their number", async () => {
    const { mock, submit, account, get, requests } = setUp();
    await account();
    await submit({ garment_urls: [] });
    await get("/api/v1/tryon?limit=0");
    mock.faults.add({ on: "GET /api/v1/account", times: 1, reset: "before" });
    await failureOf(account());
    const pending = submit({ wait: true });
    await mock.journal.waitFor("POST /api/v1/tryon", { count: 2, until: "arrived" });
    const ids = async (query: string) => {
      const { total, latest } = await requests(query);
      expect(total).toBe(latest.length);
      return latest.map(({ request_id: id }) => id).join(" ");
    };
    expect(await ids("")).toBe("req_5 req_4 req_3 req_2 req_1");
    expect(await ids("?status=4xx")).toBe("req_3 req_2");
    expect(await ids("?status=422")).toBe("req_3");
    expect(await ids("?status=error")).toBe("req_4 req_3 req_2");
    expect(await ids("?status=broken")).toBe("req_4");
    expect(await ids("?status=pending")).toBe("req_5");
    expect(await ids("?path=account")).toBe("req_4 req_1");
    expect(await ids("?status=2xx&path=tryon")).toBe("");
    await mock.clock.advance("2s");
    await pending;
    expect(await ids("?status=2xx&path=tryon")).toBe("req_5");
    for (const status of ["6xx", "40", "x"]) {
      const response = await get(`/__mock/requests?status=${status}`);
      expect([response.status, await response.text()]).toEqual([
        400,
        expect.stringContaining("status must be a status such as 402") as unknown,
      ]);
    }
  });

  test("are at most 100, and have details for the newest 200 since the last reset", async () => {
    const { mock, account, get, requests } = setUp();
    for (let count = 0; count < 201; count += 1) await account();
    const { total, latest } = await requests();
    expect([total, latest.length, latest[0]?.request_id]).toEqual([201, 100, "req_201"]);
    const statusOf = async (id: string) => (await get(`/__mock/requests/${id}`)).status;
    expect(await statusOf("req_1")).toBe(404);
    expect(await statusOf("req_2")).toBe(200);
    const snapshot = await mock.snapshot();
    await mock.restore(snapshot);
    expect(await statusOf("req_201")).toBe(404);
    await mock.reset();
    expect(await statusOf("req_201")).toBe(404);
    await account();
    expect(await statusOf("req_1")).toBe(200);
  });

  test("name the nearest requests to each fault that matched none", async () => {
    const { mock, account, submit, requests } = setUp();
    await account();
    await submit();
    mock.faults.add({ on: "GET /api/v1/tryon", status: 500 });
    mock.faults.add({ on: "POST /api/v1/try-on", status: 500 });
    mock.faults.add({ on: "webhook", drop: true });
    const own = "key svc_live_…mock";
    expect((await requests()).near_faults).toEqual([
      {
        fault_id: "fault_1",
        requests: [`POST /api/v1/tryon, 200, ${own}`, `GET /api/v1/account, 200, ${own}`],
      },
      { fault_id: "fault_2", requests: [`POST /api/v1/tryon, 200, ${own}`] },
      { fault_id: "fault_3", requests: [] },
    ]);
    await mock.fetch(`${mock.baseUrl}/api/v1/tryon`);
    expect((await requests()).near_faults.map(({ fault_id: id }) => id)).not.toContain("fault_1");
  });
});

describe("the details of a request", () => {
  test("have headers and bodies without secrets and images, and the reason of a refusal", async () => {
    const { mock, submit, details } = setUp();
    const image = "iVBORw0KGgo".repeat(40);
    await submit(
      { person_image_b64: image, other: image, note: "whsec_0123456789", wait: false },
      {
        authorization: `Bearer ${mock.keys.empty}`,
        cookie: "session=0123456789",
        "idempotency-key": "order-1",
      },
    );
    const { request, response, refusal, ...rest } = await details("req_1");
    expect(request.headers).toMatchObject({
      authorization: "Bearer svc_live_…mpty",
      cookie: "…6789",
      "idempotency-key": "order-1",
      "content-type": "application/json",
    });
    expect(JSON.parse(request.body ?? "")).toMatchObject({
      person_image_b64: "<440 characters>",
      other: "<440 characters>",
      note: "whsec_…6789",
      garment_urls: [expect.stringContaining("https://")],
      wait: false,
    });
    expect(response?.headers).toMatchObject({ "x-ratelimit-limit": "6000" });
    await mock.fetch(`${mock.baseUrl}/api/v1/account`);
    const { headers } = (await details("req_2")).response ?? {};
    expect(headers).toMatchObject({ "www-authenticate": "Bearer" });
    expect(JSON.parse(response?.body ?? "")).toEqual({ detail: refusal?.detail });
    expect(refusal?.rule).toBe("submit.402.too-few-credits");
    expect(rest).toMatchObject({ status: 402, path: "/api/v1/tryon", near_faults: [] });
  });

  test("bound the bodies", async () => {
    const { mock, submit, get, headers, details } = setUp();
    await submit({ prompt: "word ".repeat(3_000), items: ["x y"] });
    expect((await details("req_1")).request.body).toContain(
      '"prompt":"<15000 characters>","items":["x y"]',
    );
    const text = `{"prompt": "${"word ".repeat(3_000)}`;
    const init = { method: "POST", headers, body: text };
    await mock.fetch(`${mock.baseUrl}/api/v1/tryon`, init);
    const { request, response } = await details("req_2");
    expect(request.body).toMatch(/^\{"prompt": "word word .*… \(shortened\)$/);
    expect(request.body?.length).toBeLessThan(4_100);
    expect(response?.body).toContain("json_invalid");
    expect((await details("req_2")).curl).toMatch(/^# Complete the body: /);
    await get("/api/v1/openapi.json");
    const { body } = (await details("req_3")).response ?? {};
    expect(body).toMatch(/^\{"openapi":"3\.1\.\d".*… \(shortened\)$/s);
    expect(body?.length).toBeLessThan(4_100);
  });

  test("say when the server read no body and sent no response", async () => {
    const { mock, submit, details } = setUp();
    mock.faults.add({ on: "* *", reset: "before" });
    await failureOf(submit());
    expect(await details("req_1")).toMatchObject({
      status: null,
      request: { body: null },
      response: null,
      fault_ids: ["fault_1"],
    });
  });

  test("name the faults that nearly applied", async () => {
    const { mock, account, details } = setUp();
    const on = "GET /api/v1/account";
    mock.faults.add({ on: "POST /api/v1/account", status: 500 });
    mock.faults.add({ on: "GET /api/v1/tryon", status: 500 });
    mock.faults.add({ on, after: 2, status: 500 });
    mock.faults.add({ on, probability: 1e-9, status: 500 });
    mock.faults.add({ on, times: 1, latency: 1 });
    const first = account();
    await mock.journal.waitFor(on, { until: "arrived" });
    await mock.clock.advance(1);
    await first;
    await account();
    expect((await details("req_2")).near_faults).toEqual([
      { fault_id: "fault_1", reason: "applies to POST only" },
      { fault_id: "fault_3", reason: "skips request 2 of the first 2" },
      { fault_id: "fault_4", reason: "was not drawn, with probability 1e-9" },
      { fault_id: "fault_5", reason: "has applied once, its maximum" },
    ]);
  });

  test("have a curl command that a shell reads, with a variable instead of the key", async () => {
    const { mock, submit, details } = setUp();
    await submit({ prompt: "it's $HOME", person_image_b64: "A".repeat(400) }, { "x-a": "b" });
    const { curl } = await details("req_1");
    expect(curl).not.toContain("svc_");
    expect(curl.split("\n")[0]).toBe("# Put the images back in, which are not kept.");
    const shell = `curl() { printf '%s\\n' "$@"; }\n${curl}`;
    const env = { TRYON_API_KEY: "the-key" };
    const lines = execFileSync("sh", ["-c", shell], { env, encoding: "utf8" }).trim().split("\n");
    expect(lines.slice(0, 3)).toEqual(["-X", "POST", `${mock.baseUrl}/api/v1/tryon`]);
    expect(lines).toContain("Authorization: Bearer the-key");
    expect(lines).toContain("x-a: b");
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({
      prompt: "it's $HOME",
      person_image_b64: "<400 characters>",
    });
  });

  test("have a curl command without a key for a request without one", async () => {
    const { mock, details } = setUp();
    await mock.fetch(`${mock.baseUrl}/api/discovery?a=1`, { method: "HEAD" });
    const { curl } = await details("req_1");
    expect(curl).toBe(`curl -I '${mock.baseUrl}/api/discovery?a=1'`);
  });
});
