import { createHash } from "node:crypto";
import { once } from "node:events";
import { statSync } from "node:fs";
import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import { Readable } from "node:stream";

import { describe, expect, onTestFinished, test } from "vitest";

import { exchangesIn, newPath } from "../../test/files.ts";
import { served, otherServer } from "../../test/served.ts";
import { png } from "../images.ts";
import { startRecordingProxy, type RecordingOptions } from "./recording-proxy.ts";

async function recording(upstream: string, options: Partial<RecordingOptions> = {}) {
  const output = newPath("session.ndjson");
  const proxy = await startRecordingProxy({ upstream, output, port: 0, ...options });
  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (!isStopped) await proxy.stop();
    isStopped = true;
  };
  onTestFinished(stop);
  const exchanges = () => exchangesIn(output);
  return { proxy, url: proxy.url, output, exchanges, stop };
}

const live = { allowLive: true, maxCredits: 1_000 };
const image = png(96, 128, [196, 160, 132]);
const sha256 = createHash("sha256").update(image).digest("hex");

const tryOn = {
  person_image_b64: image.toString("base64"),
  garment_images_b64: [image.toString("base64")],
  prompt: "a red coat, unbuttoned",
  metadata: { order: "A-1043", count: 3 },
  output_size: "1K",
  wait: false,
};

function submit(
  base: string,
  key: string,
  body: unknown = tryOn,
  idempotencyKey = "order-A-1043",
): Promise<Response> {
  return fetch(`${base}/api/v1/tryon`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "idempotency-key": idempotencyKey,
    },
    body: JSON.stringify(body),
  });
}

async function recordOne(options: Partial<RecordingOptions> = {}) {
  const { mock, url } = await served();
  const { url: proxyUrl, exchanges } = await recording(url, { ...live, ...options });
  const response = await submit(proxyUrl, mock.keys.live);
  expect(response.status).toBe(200);
  const [exchange] = exchanges();
  return exchange;
}

describe("a recorded submission", () => {
  const marker = { kind: "png", bytes: image.length, sha256 };

  test("has the shape of both messages, and markers instead of images and texts", async () => {
    expect(await recordOne()).toEqual({
      format: 1,
      at: expect.closeTo(Date.now(), -5),
      origin: expect.stringMatching(/^origin-[\da-f]{12}$/),
      method: "POST",
      path: "/api/v1/tryon",
      key: expect.stringMatching(/^live-[\da-f]{12}$/),
      request: {
        headers: expect.objectContaining({
          "content-type": "application/json",
          "idempotency-key": expect.stringMatching(/^key-[\da-f]{8,}$/),
        }),
        bytes: expect.any(Number),
        body: {
          person_image_b64: marker,
          garment_images_b64: [marker],
          prompt: { kind: "text", characters: 22 },
          metadata: { order: { kind: "text", characters: 6 }, count: { kind: "number" } },
          output_size: "1K",
          wait: false,
        },
      },
      response: {
        status: 200,
        headersAfter: expect.any(Number),
        headers: expect.objectContaining({ "content-type": "application/json" }),
        bytes: expect.any(Number),
        body: expect.objectContaining({
          job_id: expect.stringMatching(/^job_/),
          status: "running",
          metadata: { order: { kind: "text", characters: 6 }, count: { kind: "number" } },
          cost_credits: 8,
        }),
      },
      endedAfter: expect.any(Number),
    });
  });

  test("has prompts and metadata with keepText, but no key in them", async () => {
    const exchange = await recordOne({ keepText: true });
    expect(exchange?.request.body).toMatchObject({
      person_image_b64: marker,
      prompt: tryOn.prompt,
      metadata: tryOn.metadata,
    });
    const { url } = await served();
    const { url: proxyUrl, exchanges } = await recording(url, { keepText: true });
    await submit(proxyUrl, "svc_test_mock", { ...tryOn, prompt: "with svc_live_abcdefgh" });
    expect(exchanges()[0]?.request.body).toMatchObject({ prompt: "with svc_live_…" });
  });
});

test("the same key, cursor, URL and idempotency key have the same alias in one session only", async () => {
  const { mock, url } = await served();
  const recordTwo = async () => {
    const { url: proxyUrl, exchanges } = await recording(url, live);
    await submit(proxyUrl, mock.keys.live);
    await submit(proxyUrl, mock.keys.live);
    return exchanges();
  };
  const [first, second] = await recordTwo();
  expect(second).toMatchObject({
    key: first?.key,
    request: { headers: { "idempotency-key": first?.request.headers["idempotency-key"] } },
  });
  const [other] = await recordTwo();
  expect(other?.key).not.toBe(first?.key);
});

test("a session connects a cursor with the request that uses it", async () => {
  const { mock, url } = await served();
  const { url: proxyUrl, exchanges } = await recording(url, live);
  for (let count = 0; count < 3; count += 1)
    await submit(proxyUrl, mock.keys.live, { ...tryOn, seed: count }, `order-${count}`);
  const headers = { authorization: `Bearer ${mock.keys.live}` };
  const page = await fetch(`${proxyUrl}/api/v1/tryon?limit=1`, { headers });
  // Part of the contract.
  const { next_cursor: cursor } = (await page.json()) as { next_cursor: string };
  await fetch(`${proxyUrl}/api/v1/tryon?limit=1&cursor=${cursor}`, { headers });
  const [listed, following] = exchanges().slice(-2);
  // A body of this kind was recorded.
  const { next_cursor: alias } = Object(listed?.response?.body) as { next_cursor: string };
  expect(following?.path).toBe(`/api/v1/tryon?limit=1&cursor=${alias}`);
});

describe("the recorder passes on", () => {
  test("requests and responses as they are", async () => {
    const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 7) % 256);
    const seen: unknown[] = [];
    const upstream = await otherServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        const { method, url, headers } = request;
        const hash = createHash("sha256").update(Buffer.concat(parts)).digest("hex");
        seen.push({ method, url, authorization: headers.authorization, hash });
        response.writeHead(418, "Short", { "x-own": ["a", "b"], "content-type": "image/png" });
        response.end(bytes);
      });
    });
    const { url, exchanges } = await recording(`${upstream}/base/`);
    const response = await fetch(`${url}/any/path?a=1`, {
      method: "PUT",
      headers: { authorization: "Bearer svc_test_abcdefgh" },
      body: bytes,
    });
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
    expect([response.status, response.statusText, response.headers.get("x-own")]).toEqual([
      418,
      "Short",
      "a, b",
    ]);
    const hash = createHash("sha256").update(bytes).digest("hex");
    expect(seen).toEqual([
      { method: "PUT", url: "/base/any/path?a=1", authorization: "Bearer svc_test_abcdefgh", hash },
    ]);
    expect(exchanges()[0]?.response?.body).toEqual({ kind: "bytes", bytes: 300_000, sha256: hash });
  });

  test("each part of a body when it arrives, in both directions", async () => {
    const upstream = await otherServer((request, response) => {
      request.once("data", () => response.write("first"));
      request.once("end", () => response.end("last"));
    });
    const { url, exchanges } = await recording(upstream);
    const sent = httpRequest(url, { method: "POST" });
    sent.write("{");
    // The event has one argument.
    const [response] = (await once(sent, "response")) as [NodeJS.ReadableStream];
    expect(String((await once(response, "data"))[0])).toBe("first");
    expect(exchanges()).toEqual([]);
    sent.end("}");
    expect(String((await once(response, "data"))[0])).toBe("last");
    expect(exchanges()).toMatchObject([
      { request: { bytes: 2, body: {} }, response: { bytes: 9 } },
    ]);
  });
});

describe("an incomplete exchange is recorded with its reason:", () => {
  test("a service that ends the connection", async () => {
    const upstream = await otherServer((request) => request.socket.destroy());
    const { url, exchanges } = await recording(upstream);
    await expect(fetch(url)).rejects.toThrow("fetch failed");
    expect(exchanges()).toMatchObject([{ method: "GET", error: "ECONNRESET" }]);
  });

  test("a response that ends early", async () => {
    const upstream = await otherServer((request, response) => {
      response.writeHead(200, { "content-length": 100, "content-type": "application/json" });
      response.write('{"status":', () => request.socket.destroy());
    });
    const { url, exchanges } = await recording(upstream);
    await expect(fetch(url).then((response) => response.text())).rejects.toThrow("terminated");
    expect(exchanges()).toMatchObject([
      { response: { status: 200, body: { kind: "invalid-json", bytes: 10 } }, error: "ECONNRESET" },
    ]);
  });

  test("a client that ends the connection, and a recorder that is stopped", async () => {
    const arrived: (() => void)[] = [];
    const upstream = await otherServer(() => arrived.shift()?.());
    const { url, exchanges, stop } = await recording(upstream);
    const begin = async (signal?: AbortSignal): Promise<Promise<unknown>> => {
      const request = new Promise<void>((resolve) => arrived.push(resolve));
      const response = fetch(url, signal ? { signal } : {}).catch(() => undefined);
      await request;
      return Promise.resolve({ response });
    };
    const ending = new AbortController();
    await begin(ending.signal);
    ending.abort();
    await begin();
    await stop();
    expect(exchanges()).toMatchObject([{ error: "closed" }, { error: "closed" }]);
  });

  test("a service that cannot be reached", async () => {
    const { url, exchanges } = await recording("http://127.0.0.1:9");
    await expect(fetch(url)).rejects.toThrow("fetch failed");
    expect(exchanges()).toMatchObject([{ error: "ECONNREFUSED" }]);
  });
});

describe("live keys", () => {
  test("are refused before anything is sent, unless they are allowed", async () => {
    const { mock, url } = await served();
    const { proxy, url: proxyUrl, exchanges } = await recording(url);
    const response = await submit(proxyUrl, mock.keys.live);
    expect([response.status, await response.json()]).toEqual([
      403,
      {
        detail:
          "The recorder refuses live keys. Use a test key, or --allow-live with --max-credits.",
      },
    ]);
    expect([proxy.refused, exchanges(), mock.journal.entries()]).toEqual([1, [], []]);
    expect((await submit(proxyUrl, mock.keys.test)).status).toBe(200);
  });

  test("spend at most --max-credits, even when requests overlap", async () => {
    const { mock, url } = await served();
    const { proxy, url: proxyUrl } = await recording(url, { allowLive: true, maxCredits: 45 });
    const all = Array.from({ length: 8 }, async (_, index) => {
      const { status } = await submit(proxyUrl, mock.keys.live, tryOn, `order-${index}`);
      return status;
    });
    const statuses = await Promise.all(all);
    const accepted = statuses.filter((status) => status === 200).length;
    const ledger = await mock.ledger(mock.keys.live);
    const charged = ledger?.entries.filter(({ credits }) => credits < 0) ?? [];
    expect(charged).toHaveLength(accepted);
    expect(accepted).toBeGreaterThanOrEqual(2);
    expect(accepted * 8).toBeLessThanOrEqual(45);
    expect(proxy.refused).toBe(8 - accepted);
  });

  test.each([
    "/api/v1/credits/purchase",
    "/api/v1/credits/purchase/",
    "/api/v1/credit%73/purchase",
    "/api/v1/credits%2Fpurchase?pack=demo",
  ])("buy nothing: %s", async (path) => {
    const { mock, url } = await served();
    const { url: proxyUrl } = await recording(url, live);
    const response = await fetch(`${proxyUrl}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${mock.keys.live}`, "content-type": "application/json" },
      body: JSON.stringify({ pack_slug: "starter" }),
    });
    expect([response.status, await response.json()]).toEqual([
      403,
      { detail: "The recorder sends no purchase with a live key." },
    ]);
    expect(mock.journal.entries()).toEqual([]);
  });

  test.each([
    ["POST", "/api/v1/credit%2573/purchase"],
    ["POST", "/api//v1/credits/purchase"],
    ["POST", "/api/v1/credits"],
    ["POST", "/api/v2/tryon"],
    ["PUT", "/api/v1/tryon"],
    ["GET", "/api/v1/keys"],
    ["GET", "/api/v1/tryon/job_1/image"],
    ["GET", "/__mock/options"],
  ])("are sent to documented paths only, and not to %s %s", async (method, path) => {
    const { mock, url } = await served();
    const { url: proxyUrl } = await recording(url, live);
    const send = (key: string) => raw(proxyUrl, path, { authorization: `Bearer ${key}` }, method);
    const detail = "The recorder sends a live key only to documented paths of the service.";
    expect(await send(mock.keys.live)).toEqual({ status: 403, detail });
    expect(mock.journal.entries()).toEqual([]);
    expect((await send(mock.keys.test)).detail).not.toBe(detail);
  });

  test("are sent to paths that the service decodes, which count as what they are", async () => {
    const { mock, url } = await served();
    const { url: proxyUrl } = await recording(url, { allowLive: true, maxCredits: 39 });
    const headers = { authorization: `Bearer ${mock.keys.live}` };
    expect((await raw(proxyUrl, "/api/v1/acc%6Funt", headers)).status).toBe(200);
    expect((await submit(proxyUrl, mock.keys.live)).status).toBe(200);
    const encoded = await raw(proxyUrl, "/api/v1/try%6Fn", headers, "POST");
    expect(encoded.detail).toContain("--max-credits 39 leaves 19, and one costs up to 20.");
  });
});

async function raw(base: string, path: string, headers: OutgoingHttpHeaders = {}, method = "GET") {
  const { hostname: host, port } = new URL(base);
  const sent = httpRequest({ host, port, path, headers, method }).end();
  // The event has one argument.
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const fields: unknown = await new Response(Readable.toWeb(response) as ReadableStream)
    .json()
    .catch(() => ({}));
  return { status: response.statusCode, detail: Reflect.get(Object(fields), "detail") as unknown };
}

async function accountOf(account: () => unknown, answers: unknown[], maxCredits: number) {
  const paths: string[] = [];
  const upstream = await otherServer((request, response) => {
    paths.push(`${request.method} ${request.url}`);
    request.resume().once("end", () => {
      const isAccount = request.url === "/api/v1/account";
      const body = isAccount ? account() : answers.shift();
      const { http = 200, ...fields } = Object(body) as { http?: number };
      response.writeHead(http, { "content-type": "application/json" });
      response.end(JSON.stringify(fields));
    });
  });
  const { url } = await recording(upstream, { allowLive: true, maxCredits });
  const authorization = "Bearer svc_live_abcdefgh";
  const post = async (): Promise<string> => {
    const { status, detail } = await raw(url, "/api/v1/tryon", { authorization }, "POST");
    return status === 403 ? String(detail) : String(status);
  };
  const poll = () => raw(url, "/api/v1/tryon/job_1", { authorization });
  const list = () => raw(url, "/api/v1/tryon?limit=9", { authorization });
  return { url, paths, post, poll, list };
}

const account = () => ({ tryon_cost_credits: { "1K": 8, "2K": 12, "4K": 20 } });
const job = (cost_credits: unknown, status = "running", id = 1) => ({
  job_id: `job_${id}`,
  status,
  cost_credits,
});

const refused = (limit: number, left: number, price: number): string =>
  `The recorder refuses a try-on: --max-credits ${limit} leaves ${left}, and one costs up to ${price}.`;

describe("the price of a try-on with a live key", () => {
  test.each<[string, Record<string, unknown> | undefined, number]>([
    ["is the highest of the account", { "1K": 8, "4K": 20, "8K": 60 }, 60],
    ["is at least the documented one", { "1K": 1, "4K": 2 }, 20],
    ["is the documented one without prices", undefined, 20],
    ["counts whole credits only", { "1K": -90, "2K": 40.5, "4K": "90" }, 20],
  ])("%s", async (_, prices, price) => {
    const read = () => ({ tryon_cost_credits: prices });
    const { post, paths } = await accountOf(
      read,
      [job(price), job(price, "running", 2)],
      price * 2 + 1,
    );
    const outcomes = [await post(), await post(), await post()];
    expect(outcomes).toEqual(["200", "200", refused(price * 2 + 1, 1, price)]);
    const submission = "POST /api/v1/tryon";
    expect(paths).toEqual(["GET /api/v1/account", submission, submission]);
  });

  test("is read before the first submission, also if several arrive at once", async () => {
    const { post, paths } = await accountOf(account, [job(20), job(20, "running", 2)], 59);
    const outcomes = await Promise.all([post(), post(), post(), post()]);
    expect(outcomes.toSorted()).toEqual(["200", "200", refused(59, 19, 20), refused(59, 19, 20)]);
    expect(paths).toHaveLength(3);
  });

  test("must be readable, and is read again for the next submission", async () => {
    const responses = [{ http: 500 }, { http: 429 }, account()];
    const { post, paths } = await accountOf(() => responses.shift(), [job(20)], 59);
    const unread =
      "The recorder refuses a try-on: it cannot read the prices of the account. Try again.";
    expect([await post(), await post(), await post()]).toEqual([unread, unread, "200"]);
    expect(paths.filter((path) => path.startsWith("POST"))).toHaveLength(1);
  });

  test.each<[string, unknown, number]>([
    ["a cost of 0 while the job runs", job(0), 19],
    ["a lower cost while the job runs", job(8), 19],
    ["a higher cost while the job runs", job(30), 9],
    ["no cost", job(undefined), 19],
    ["a negative cost", job(-80, "succeeded"), 19],
    ["a cost with a fraction", job(0.5, "succeeded"), 19],
    ["a cost that is a text", job("0", "succeeded"), 19],
    ["the cost of a job that has ended", job(8, "succeeded"), 31],
    ["the cost of a job that has failed", job(12, "failed"), 27],
    ["a failed job that cost nothing", job(0, "failed"), 39],
    ["a refusal", { http: 402, detail: "Insufficient credits." }, 39],
    ["a refusal with invalid fields", { http: 422, detail: [{ loc: ["body"] }] }, 39],
    ["a 4xx that is not of the service", { http: 413 }, 19],
    ["a timeout", { http: 408, detail: "Timeout" }, 19],
    ["a failure of the service", { http: 500, detail: "Failed" }, 19],
    ["a response without a job", { status: "succeeded", cost_credits: 0 }, 19],
  ])("counts until the response says otherwise: %s", async (_, answer, left) => {
    const { post } = await accountOf(account, [answer], 39);
    await post();
    // Further submissions count 20 each, as their responses have no job.
    let further = 0;
    let outcome = await post();
    for (; outcome === "200"; outcome = await post()) further += 20;
    expect(outcome).toContain(`leaves ${left - further},`);
  });

  test("ends with the job, which a poll or a list shows", async () => {
    const failed = { http: 500, ...job(0, "succeeded") };
    const polls = [
      job(0),
      job(0),
      failed,
      job(8, "succeeded"),
      job(8, "running"),
      job(12, "running", 2),
    ];
    const jobs = { jobs: [job(12, "succeeded", 2), job(8, "succeeded")] };
    const { post, poll, list } = await accountOf(account, [...polls, jobs], 39);
    expect(await post()).toBe("200");
    await poll();
    await poll();
    expect(await post()).toContain("leaves 19,");
    await poll();
    // A job does not start again.
    await poll();
    expect(await post()).toBe("200");
    expect(await post()).toContain("leaves 11,");
    await list();
    expect(await post()).toContain("leaves 19,");
  });

  test("stays that of the end when a submission is repeated later", async () => {
    const { post, poll } = await accountOf(account, [job(8), job(8, "failed"), job(8)], 39);
    await post();
    await poll();
    expect(await post()).toBe("200");
    expect(await post()).toBe("200");
    expect(await post()).toContain("leaves 11,");
  });

  test("is not waited for by a recorder that is stopped", async () => {
    const paths: (string | undefined)[] = [];
    let respond: (() => void) | undefined;
    const arrived = new Promise<void>((resolve) => {
      respond = resolve;
    });
    let answer: (() => void) | undefined;
    const upstream = await otherServer(({ url }, response) => {
      paths.push(url);
      answer = () => void response.end("{}");
      if (url === "/api/v1/account") respond?.();
      else answer();
    });
    const { url, exchanges, stop } = await recording(upstream, live);
    const sent = submit(url, "svc_live_abcdefgh").catch(() => "ended");
    await arrived;
    await stop();
    answer?.();
    expect(await sent).toBe("ended");
    await fetch(`${upstream}/next`);
    expect([paths, exchanges()]).toEqual([["/api/v1/account", "/next"], []]);
  });

  test("counts once for a submission that is repeated under its key", async () => {
    const { mock, url } = await served();
    const { url: proxyUrl } = await recording(url, { allowLive: true, maxCredits: 59 });
    const statuses: number[] = [];
    for (let repeat = 0; repeat < 5; repeat += 1) {
      statuses.push((await submit(proxyUrl, mock.keys.live)).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200]);
    const ledger = await mock.ledger(mock.keys.live);
    expect(ledger?.entries.filter(({ credits }) => credits < 0)).toHaveLength(1);
  });
});

async function watched() {
  const received: (string | undefined)[] = [];
  const upstream = await otherServer(({ url }, response) => {
    received.push(url);
    response.end("{}");
  });
  const { url, proxy, exchanges } = await recording(`${upstream}/base/`);
  return { url, proxy, exchanges, received, host: new URL(upstream).host };
}
const refusals = {
  path: "The recorder forwards only paths below the URL of the deployment.",
  host: "The recorder takes requests only under a name of this machine, such as 127.0.0.1.",
  origin: "The recorder takes no requests from pages of this origin.",
};

describe("a request is refused", () => {
  const key = { authorization: "Bearer svc_test_abcdefgh" };

  test.each<[keyof typeof refusals, value: string, isTaken: boolean]>([
    ["path", "//HOST/x", false],
    ["path", "/\\HOST/x", false],
    ["path", "/%2f%2fHOST/x", false],
    ["path", "/%5cHOST/x", false],
    ["path", "http://HOST/x", false],
    ["path", "/../admin", false],
    ["path", "/%2e%2e/admin", false],
    ["path", "/..%2fadmin", false],
    ["path", "/%252e%252e%252fadmin", false],
    ["path", "/api/../../admin", false],
    ["path", "*", false],
    ["host", "tryon.evil.example", false],
    ["host", "tryon.evil.example:80", false],
    ["host", "localhost.evil.example", false],
    ["host", "192.168.0.7", false],
    ["host", "localhost", true],
    ["host", "127.0.0.1:4010", true],
    ["host", "[::1]:4010", true],
    ["origin", "https://evil.example", false],
    ["origin", "http://localhost.evil.example", false],
    ["origin", "null", false],
    ["origin", "file://", false],
    ["origin", "chrome-extension://localhost", false],
    ["origin", "http://localhost:5173", true],
    ["origin", "https://127.0.0.1", true],
  ])("with the %s %j, unless it is of this machine: %s", async (name, value, isTaken) => {
    const { url, proxy, exchanges, received, host } = await watched();
    const path = name === "path" ? value.replace("HOST", host) : "/x";
    const headers = { ...key, ...(name !== "path" && { [name]: value }) };
    const [status, detail] = isTaken ? [200, undefined] : [403, refusals[name]];
    for (const method of ["GET", "OPTIONS"])
      expect(await raw(url, path, headers, method)).toEqual({ status, detail });
    expect(received).toEqual(isTaken ? ["/base/x", "/base/x"] : []);
    expect([exchanges().length, proxy.refused]).toEqual(isTaken ? [2, 0] : [0, 2]);
  });

  test("with two keys, of which only one is checked", async () => {
    const { url, received } = await watched();
    const authorization = ["Bearer svc_test_abcdefgh", "Bearer svc_live_abcdefgh"];
    const { status, detail } = await raw(url, "/x", { Authorization: authorization });
    expect([status, detail]).toEqual([403, "The recorder takes one Authorization header."]);
    const joined = await raw(url, "/x", { authorization: authorization.join(", ") });
    expect(joined.detail).toContain("The recorder refuses live keys.");
    expect(received).toEqual([]);
  });
});

test("only this machine reaches the recorder, and only its user reads the session", async () => {
  const { url, output } = await recording("http://127.0.0.1:9");
  expect(statSync(output).mode & 0o777).toBe(0o600);
  expect(new URL(url).hostname).toBe("127.0.0.1");
  const { port } = new URL(url);
  for (const host of ["127.0.0.2", "::1"]) {
    const sent = httpRequest({ host, port, timeout: 1_000 }).end();
    sent.once("timeout", () => sent.destroy(new Error("timeout")));
    await expect(once(sent, "response")).rejects.toThrow(/ECONNREFUSED|ADDRNOTAVAIL|timeout/);
  }
});

test.each(["output", "port"])("a %s that cannot be opened rejects", async (what) => {
  const { url } = await recording("http://127.0.0.1:9");
  const wrong =
    what === "port" ? { port: Number(new URL(url).port) } : { output: newPath("no/folder/x") };
  await expect(recording("http://127.0.0.1:9", wrong)).rejects.toThrow(/EADDRINUSE|ENOENT/);
});
