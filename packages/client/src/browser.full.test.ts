import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";

import type { MockOptions } from "@tryon/mock";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { installedEngines, type Page } from "@tryon/test-kit/browsers";
import type * as Client from "./index.ts";
import { jpegBytes } from "../test/bodies.ts";
import {
  bundleClient,
  openPage,
  photo,
  serviceHost,
  shopHost,
  startBrowser,
  type Access,
} from "../test/browser.ts";
import { closedUrl, httpServer, listen } from "../test/http-server.ts";
import { input } from "../test/service.ts";

/** The client in the page, where callbacks of `page.evaluate` run. */
declare const client: typeof Client;

const digest = (bytes: Uint8Array): string =>
  `${bytes.length} ${createHash("sha256").update(bytes).digest("hex")}`;
const imagesOf = (body: string): string[] => {
  // Every body of the client is a JSON object, and its images are base64.
  const fields = JSON.parse(body) as Record<string, string[] | undefined>;
  return [fields["person_image_b64"], fields["garment_images_b64"]]
    .flat()
    .map((text = "") => digest(Buffer.from(text, "base64")));
};

/** Runs a try-on in the page until its event "enough", and returns its end. */
const runUntilAbort = (page: Page, given: { options: Access; sync: boolean; size: number }) =>
  page.evaluate(async ({ options, sync, size }) => {
    const timers = new Set<unknown>();
    const clock: Client.Clock = {
      now: () => Date.now(),
      setTimeout: (callback, delay) => {
        const timer = setTimeout(() => timers.delete(timer) && callback(), delay);
        timers.add(timer);
        return timer;
      },
      clearTimeout: (timer) => {
        timers.delete(timer);
        // The function above returned it.
        clearTimeout(timer as number);
      },
    };
    const reason = { words: "enough" };
    const controller = new AbortController();
    addEventListener("enough", () => controller.abort(reason));
    const tryon = new client.TryOn({ ...options, clock });
    const { signal } = controller;
    const image = new Blob([Uint8Array.of(255, 216, 255), new Uint8Array(size)]);
    const tryOn = { person: image, garments: [image, image, image] } as const;
    const error = await tryon.run(tryOn, { sync, signal }).then(
      () => "no error",
      (thrown: unknown) => thrown,
    );
    return { reasonIsTheCallers: error === reason, timersLeft: timers.size };
  }, given);

const errorsOf = (page: Page, access: Access) =>
  page.evaluate(
    async (given) => {
      const tryon = new client.TryOn({ ...given.options, retries: 0 });
      const calls = [tryon.account.get(), tryon.submit(given.tryOn)];
      return (await Promise.allSettled(calls)).map((end) => {
        if (end.status === "fulfilled") return { code: "none" };
        const error: unknown = end.reason;
        if (!client.isTryOnError(error)) return { code: String(error) };
        const { cause } = error;
        return {
          ...error.toJSON(),
          cause: client.isTryOnError(cause) ? cause.code : String(cause),
        };
      });
    },
    { options: access, tryOn: input },
  );

describe.each(await installedEngines(["chromium"]))("the client in %s", (engine) => {
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let bundle: Awaited<ReturnType<typeof bundleClient>>;
  beforeAll(async () => {
    [browser, bundle] = await Promise.all([startBrowser(engine), bundleClient()]);
  });
  afterAll(() => browser.close());

  const opened = (...rest: [options?: MockOptions, host?: string]) =>
    openPage(browser, bundle, ...rest);

  test.each([
    ["the base64 of the browser", true],
    ["the base64 of the client, in browsers without", false],
  ])(
    "sends every kind of image unchanged with its exact length, also when it retries, with %s",
    async (_name, own) => {
      const { page, mock, access, arrived, problems } = await opened();
      const hasOwn = await page.evaluate((keep) => {
        if (!keep) Reflect.deleteProperty(Uint8Array.prototype, "toBase64");
        return "toBase64" in Uint8Array.prototype;
      }, own);
      expect(hasOwn).toBe(own);
      const chosen = jpegBytes(500_002);
      const photoFile = { name: "me.jpg", mimeType: "image/jpeg", buffer: Buffer.from(chosen) };
      await page.locator("input").setInputFiles(photoFile);
      const fault = { on: "POST /api/v1/tryon", times: 1 } as const;
      mock.faults.add({ ...fault, status: 503 });
      mock.faults.add({ ...fault, reset: "after" });
      const charged = await page.evaluate(async (options) => {
        const tryon = new client.TryOn({ ...options, random: () => 0 });
        const file = document.querySelector("input")?.files?.[0] ?? "";
        const blob = await (await fetch("/photo.jpg")).blob();
        const bytes = new Uint8Array(await blob.arrayBuffer());
        const dataUri = `data:image/jpeg;base64,${btoa(String.fromCharCode(...bytes.slice(0, 999)))}`;
        const first = await tryon.run({ person: file, garments: [blob, bytes, dataUri] });
        const { body } = await fetch("/photo.jpg");
        const second = await tryon.run({
          person: await fetch("/photo.jpg"),
          garments: [bytes.buffer, body ?? "", { base64: btoa("\u00ff\u00d8\u00ff\u00e0\0\0") }],
        });
        return [first.receipt.credits, second.receipt.credits];
      }, access);
      expect(charged).toEqual([8, 8]);
      const posts = arrived.filter(({ method }) => method === "POST");
      expect(posts).toHaveLength(4);
      for (const { headers, bytes } of posts) {
        expect(headers.get("content-length")).toBe(String(bytes.length));
        expect(headers.get("transfer-encoding")).toBeNull();
      }
      const bodies = Map.groupBy(posts, ({ headers }) => headers.get("idempotency-key"));
      const sent = [...bodies.values()].map((attempts) => {
        const [body = "", ...others] = new Set(
          attempts.map(({ bytes }) => Buffer.from(bytes).toString()),
        );
        expect(others).toEqual([]);
        return imagesOf(body);
      });
      expect(sent).toEqual([
        [chosen, photo, photo, photo.slice(0, 999)].map(digest),
        [photo, photo, photo, Uint8Array.of(255, 216, 255, 224, 0, 0)].map(digest),
      ]);
      expect((await mock.ledger(mock.keys.live))?.balance).toBe(984);
      expect(problems.filter((problem) => !/503|ERR_CONNECTION_RESET/.test(problem))).toEqual([]);
    },
  );

  test("loads parts of the client when it needs them", async () => {
    const { page, access, mock } = await opened();
    const loaded = () =>
      page.evaluate(() =>
        performance
          .getEntriesByType("resource")
          .flatMap(({ name }) => /(account|failures|input-checks)-\w+\.js$/.exec(name)?.[1] ?? []),
      );
    expect(await loaded()).toEqual([]);
    await page.evaluate(
      async ({ options, tryOn }) => {
        const job = await new client.TryOn({ ...options, validate: false }).submit(tryOn);
        await job.result();
      },
      { options: access, tryOn: input },
    );
    expect(await loaded()).toEqual([]);
    mock.faults.add({ on: "POST /api/v1/tryon", times: 1, status: 500 });
    const codes = (await errorsOf(page, access)).map(({ code }) => code);
    expect(codes).toEqual(["none", "server_error"]);
    expect(new Set(await loaded())).toEqual(new Set(["account", "failures", "input-checks"]));
  });

  test("makes a try-on without the parts that the page cannot load, and names their errors", async () => {
    const isPart = /(?:account|failures|input-checks)-\w+\.js$/;
    const files = new Map([...bundle.files].filter(([path]) => !isPart.test(path)));
    expect(files.size).toBe(bundle.files.size - 3);
    const { page, access, mock } = await openPage(browser, { files });
    mock.faults.add({ on: "POST /api/v1/tryon", times: 1, status: 503 });
    const ends = await page.evaluate(
      async ({ options, tryOn }) => {
        const tryon = new client.TryOn({ ...options, retries: 1, random: () => 0 });
        const outcomes = [
          tryon.run(tryOn).then(({ job }) => job.status),
          tryon.account.get(),
          tryon.submit({ ...tryOn, person: "" }),
          tryon.run(tryOn, { budget: { maxCredits: 8 } }),
          tryon.jobs.get("job_unknown"),
        ];
        const settled = [];
        for (const outcome of outcomes)
          settled.push(await Promise.resolve(outcome).catch((error: unknown) => String(error)));
        return settled;
      },
      { options: access, tryOn: input },
    );
    const [run, ...errors] = ends;
    expect(run).toBe("succeeded");
    expect(errors).toEqual([
      expect.stringMatching(/could not load a part of the client\. Nothing was sent: reload/),
      expect.stringMatching(/part of the client\. Nothing was sent/),
      expect.stringMatching(/could not load a part of the client\. Nothing was sent/),
      expect.stringMatching(/GET \/api\/v1\/tryon\/job_unknown failed: not_found\./),
    ]);
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
  });

  test("waits in both ways, and shows the image", async () => {
    const { page, mock, access, arrived, problems } = await opened({ latency: 200 });
    const seen = await page.evaluate(
      async ({ options, tryOn }) => {
        const tryon = new client.TryOn(options);
        const rows = [];
        for (const sync of [true, false]) {
          const { image, job } = await tryon.run(tryOn, { sync });
          const blob = await image.blob();
          const bitmap = await createImageBitmap(blob);
          const shown = new Image();
          shown.src = await image.url();
          await shown.decode();
          const streamed = await new Response(await image.stream()).blob();
          rows.push({
            job: job.id,
            type: blob.type,
            drawn: [bitmap.width, bitmap.height],
            shown: [shown.naturalWidth, shown.naturalHeight],
            streamed: streamed.size === blob.size,
          });
        }
        return rows;
      },
      { options: access, tryOn: input },
    );
    const shown = { type: "image/png", drawn: [768, 1_024], shown: [768, 1_024], streamed: true };
    expect(seen).toMatchObject([shown, shown]);
    const polls = arrived.filter(({ path }) => path.startsWith("/api/v1/tryon/"));
    expect(new Set(polls.map(({ path }) => path))).toEqual(
      new Set([`/api/v1/tryon/${seen[1]?.job}`]),
    );
    const fetched = arrived.filter(({ path }) => path.startsWith("/results/"));
    expect(fetched.length).toBeGreaterThan(3);
    expect(fetched.filter(({ headers }) => headers.has("authorization"))).toEqual([]);
    // With a read lag, polls of a fresh job may be too early, except the last one.
    const early = problems.filter((problem) => /404/.test(problem));
    expect(early.length).toBeLessThan(mock.options.readLag === 0 ? 1 : polls.length);
    expect(problems.filter((problem) => !early.includes(problem))).toEqual([]);
  });

  test.each(["POST", "GET"])(
    "rejects with the reason of the caller while it waits for a %s",
    async (verb) => {
      // With a read lag, the first poll can end in a 404 before the abort, which the console reports.
      const service = { latency: "1h", options: { readLag: 0 } } as const;
      const { page, access, arrived, problems } = await opened(service);
      const ended = runUntilAbort(page, { options: access, sync: verb === "POST", size: 900 });
      await expect.poll(() => arrived.at(-1)?.method).toBe(verb);
      await page.evaluate(() => dispatchEvent(new Event("enough")));
      expect(await ended).toEqual({ reasonIsTheCallers: true, timersLeft: 0 });
      const asked = (): number => arrived.filter(({ path }) => path.includes("tryon")).length;
      const before = asked();
      await page.evaluate((options) => new client.TryOn(options).account.get(), access);
      expect(asked()).toBe(before);
      expect(problems).toEqual([]);
    },
  );

  test("rejects with the reason of the caller while it uploads, and stops the upload", async () => {
    const { page, access, problems } = await opened();
    const { url: baseUrl, posts } = await unresponsiveServer();
    // Exceeds the buffers of a connection.
    const options = { ...access, baseUrl };
    const ended = runUntilAbort(page, { options, sync: true, size: 9_000_000 });
    await expect.poll(() => posts.length).toBe(1);
    await page.evaluate(() => dispatchEvent(new Event("enough")));
    expect(await ended).toEqual({ reasonIsTheCallers: true, timersLeft: 0 });
    const [request] = posts;
    request?.resume();
    await expect.poll(() => request?.destroyed).toBe(true);
    expect(request?.complete).toBe(false);
    expect(posts).toHaveLength(1);
    expect(problems).toEqual([]);
  });

  test("rejects a live key unless it is allowed, and works on a page without https", async () => {
    // A strict server would redirect such a page to https.
    const options = { slashRedirect: false };
    const { page, access, problems } = await opened({ options, corsOrigins: ["*"] }, shopHost);
    const service = access.baseUrl.replace("127.0.0.1", serviceHost);
    const made = await page.evaluate(
      async ({ apiKey, baseUrl, loopback, tryOn }) => {
        const construct = (own: Client.TryOnOptions): string => {
          try {
            return typeof new client.TryOn({ apiKey, baseUrl, ...own }).toJSON();
          } catch (error) {
            return client.isTryOnError(error) ? `${error.code} ${error.message}` : String(error);
          }
        };
        const allowed = { apiKey, baseUrl, allowInsecure: true, allowLiveKey: true };
        const { receipt } = await new client.TryOn(allowed).run(tryOn);
        return {
          isSecureContext,
          credits: receipt.credits,
          key: receipt.idempotencyKey,
          refusals: [construct({ allowInsecure: true }), construct({ allowLiveKey: true })],
          allowed: [
            construct({ baseUrl: loopback }),
            construct({ allowInsecure: true, fetch: (...call) => fetch(...call) }),
            construct({ allowInsecure: true, apiKey: "svc_test_mock" }),
          ],
        };
      },
      { apiKey: access.apiKey, baseUrl: service, loopback: access.baseUrl, tryOn: input },
    );
    expect(made).toEqual({
      isSecureContext: false,
      credits: 8,
      key: expect.stringMatching(
        /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/,
      ) as unknown,
      refusals: [
        expect.stringMatching(/^unsafe_environment .*a browser.*allowLiveKey/) as unknown,
        expect.stringMatching(/^unsafe_environment .*http.*allowInsecure/) as unknown,
      ],
      allowed: ["object", "object", "object"],
    });
    expect(problems).toEqual([]);
  });

  describe("fails with a typed error", () => {
    test("at a redirect, which it does not follow", async () => {
      const { page, mock, access } = await opened();
      const elsewhere = await httpServer((response) => response.end());
      const location = `${elsewhere.url}/there`;
      mock.faults.add({ on: "* /api/v1/*", status: 307, headers: { location } });
      const ended = await errorsOf(page, access);
      expect(ended.map(({ code }) => code)).toEqual(["redirected", "redirected"]);
      // A page cannot read the status of a redirect.
      expect(ended.filter((error) => "status" in error)).toEqual([]);
      expect(elsewhere.got).toEqual([]);
    });

    // A browser reports neither that the connection was refused nor that the origin is not allowed.
    test.each(["no server listens", "the service does not allow its origin"])(
      "if %s",
      async (reason) => {
        const { page, access } = await opened();
        const { url, got } = await httpServer((response) => response.end("{}"));
        const isClosed = reason === "no server listens";
        const baseUrl = isClosed ? await closedUrl() : url;
        expect(await errorsOf(page, { ...access, baseUrl })).toMatchObject([
          {
            code: "connection_failed",
            cause: expect.stringMatching(/Failed to fetch|NetworkError|Load failed/) as unknown,
          },
          { code: "outcome_unknown", cause: "connection_failed" },
        ]);
        expect(got.map(({ method }) => method)).toEqual(isClosed ? [] : ["OPTIONS", "OPTIONS"]);
      },
    );
  });
});

/** Starts a server that allows every origin, and reads no body. */
async function unresponsiveServer(): Promise<{ url: string; posts: readonly IncomingMessage[] }> {
  const posts: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    // An aborted request is an error.
    if (request.method === "POST") return void posts.push(request.on("error", () => undefined));
    response.setHeader("Access-Control-Allow-Origin", "*");
    response.setHeader("Access-Control-Allow-Headers", "*, Authorization");
    return response.end();
  });
  return { url: await listen(server), posts };
}
