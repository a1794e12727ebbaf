import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, onTestFinished, test } from "vitest";

import { served, somethingElse } from "../../test/served.ts";
import { png } from "../images.ts";
import { parseExchange, type Exchange } from "./exchange.ts";
import { startRecordingProxy, type RecordingOptions } from "./recording-proxy.ts";

/** Starts a recording proxy until the test ends. */
async function recording(upstream: string, options: Partial<RecordingOptions> = {}) {
  const output = join(mkdtempSync(join(tmpdir(), "recorded-")), "session.ndjson");
  const proxy = await startRecordingProxy({ upstream, output, port: 0, ...options });
  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (!isStopped) await proxy.stop();
    isStopped = true;
  };
  onTestFinished(stop);
  const exchanges = (): Exchange[] =>
    readFileSync(output, "utf8").split("\n").filter(Boolean).map(parseExchange);
  return { proxy, url: proxy.url, exchanges, stop };
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

/** Submits a try-on through a recording proxy, and returns its exchange. */
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
  expect(second?.key).toBe(first?.key);
  expect(second?.request.headers["idempotency-key"]).toBe(
    first?.request.headers["idempotency-key"],
  );
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
    const upstream = await somethingElse((request, response) => {
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
    const upstream = await somethingElse((request, response) => {
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
    const upstream = await somethingElse((request) => request.socket.destroy());
    const { url, exchanges } = await recording(upstream);
    await expect(fetch(url)).rejects.toThrow("fetch failed");
    expect(exchanges()).toMatchObject([{ method: "GET", error: "ECONNRESET" }]);
  });

  test("a response that ends early", async () => {
    const upstream = await somethingElse((request, response) => {
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
    const upstream = await somethingElse(() => arrived.shift()?.());
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

  test("buy nothing", async () => {
    const { mock, url } = await served();
    const { url: proxyUrl } = await recording(url, live);
    const response = await fetch(`${proxyUrl}/api/v1/credits/purchase`, {
      method: "POST",
      headers: { authorization: `Bearer ${mock.keys.live}`, "content-type": "application/json" },
      body: JSON.stringify({ pack_slug: "starter" }),
    });
    expect([response.status, await response.json()]).toEqual([
      403,
      { detail: "The recorder sends no purchase with a live key." },
    ]);
  });
});

test.each(["output", "port"])("a %s that cannot be opened rejects", async (what) => {
  const { url } = await recording("http://127.0.0.1:9");
  const wrong =
    what === "port"
      ? { port: Number(new URL(url).port) }
      : { output: join(tmpdir(), "no/folder/x") };
  await expect(recording("http://127.0.0.1:9", wrong)).rejects.toThrow(/EADDRINUSE|ENOENT/);
});
