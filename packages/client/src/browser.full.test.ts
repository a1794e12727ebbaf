import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";

import type { MockOptions } from "@tryon/mock";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

import type { Page } from "@tryon/test-kit/chromium";
import { isInstalled } from "@tryon/test-kit/installed-programs";
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
  type Bundle,
} from "../test/browser.ts";
import { closedUrl, httpServer, listen } from "../test/http-server.ts";
import { input } from "../test/service.ts";

/** The client in the page: what is given to `page.evaluate` runs there, and knows nothing of this file. */
declare const client: typeof Client;

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
/** Stands for bytes that are too many to be shown. */
const digest = (bytes: Uint8Array): string =>
  `${bytes.length} ${createHash("sha256").update(bytes).digest("hex")}`;
const imagesOf = (body: string): string[] => {
  // Every body of the client is a JSON object, and these have base64 alone.
  const fields = JSON.parse(body) as Record<string, string[] | undefined>;
  return [fields["person_image_b64"], fields["garment_images_b64"]]
    .flat()
    .map((text = "") => digest(Buffer.from(text, "base64")));
};

/** Runs in the page until that hears that it is enough: how it ends, and what is left of it. */
const leaves = (page: Page, given: { options: Access; sync: boolean; size: number }) =>
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
        // What comes back is what was given out above.
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

/** How a poll and a submission end in the page. */
const ends = (page: Page, access: Access) =>
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

const hasChromium = await isInstalled("chromium");

describe.runIf(hasChromium)("the client in a browser", () => {
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let bundle: Bundle;
  beforeAll(async () => {
    [browser, bundle] = await Promise.all([startBrowser(), bundleClient()]);
  });
  afterAll(() => browser.close());

  const opened = (...rest: [options?: MockOptions, host?: string]) =>
    openPage(browser, bundle, ...rest);

  test.each([
    ["the browser's own base64", true],
    ["base64 by hand, for browsers that make none", false],
  ])(
    "sends every kind of image as it is, with its exact length, and the same again, with %s",
    async (_name, own) => {
      const { page, mock, access, arrived, troubles } = await opened();
      const hasOwn = await page.evaluate((keep) => {
        if (!keep) Reflect.deleteProperty(Uint8Array.prototype, "toBase64");
        return "toBase64" in Uint8Array.prototype;
      }, own);
      expect(hasOwn).toBe(own);
      const folder = await mkdtemp(path.join(tmpdir(), "tryon-page-"));
      onTestFinished(() => rm(folder, { recursive: true }));
      const chosen = jpegBytes(500_002);
      await writeFile(path.join(folder, "me.jpg"), chosen);
      await page.getByLabel("Photo").setInputFiles(path.join(folder, "me.jpg"));
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
          garments: [bytes.buffer, body ?? "", { base64: btoa("\u00ff\u00d8\u00ff") }],
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
        const [body = "", ...others] = new Set(attempts.map(({ bytes }) => textOf(bytes)));
        expect(others).toEqual([]);
        return imagesOf(body);
      });
      expect(sent).toEqual([
        [chosen, photo, photo, photo.slice(0, 999)].map(digest),
        [photo, photo, photo, Uint8Array.of(255, 216, 255)].map(digest),
      ]);
      expect((await mock.ledger(mock.keys.live))?.balance).toBe(984);
      expect(troubles.filter((trouble) => !/503|ERR_CONNECTION_RESET/.test(trouble))).toEqual([]);
    },
  );

  test("waits held and polling, and shows the image", async () => {
    const { page, mock, access, arrived, troubles } = await opened({ latency: 200 });
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
    const looks = { type: "image/png", drawn: [768, 1_024], shown: [768, 1_024], streamed: true };
    expect(seen).toMatchObject([looks, looks]);
    const polls = arrived.filter(({ path: at }) => at.startsWith("/api/v1/tryon/"));
    expect(new Set(polls.map(({ path: at }) => at))).toEqual(
      new Set([`/api/v1/tryon/${seen[1]?.job}`]),
    );
    const fetched = arrived.filter(({ path: at }) => at.startsWith("/results/"));
    expect(fetched.length).toBeGreaterThan(3);
    expect(fetched.filter(({ headers }) => headers.has("authorization"))).toEqual([]);
    // Where the server reads from replicas, looks at a fresh job may come too early, but not the last one.
    const early =
      mock.options.readLag === 0 ? [] : troubles.filter((trouble) => /404/.test(trouble));
    expect(early.length).toBeLessThan(polls.length);
    expect(troubles.filter((trouble) => !early.includes(trouble))).toEqual([]);
  });

  test.each(["POST", "GET"])(
    "ends with the caller's reason while it waits for a %s",
    async (verb) => {
      const { page, access, arrived, troubles } = await opened({ latency: "1h" });
      const ended = leaves(page, { options: access, sync: verb === "POST", size: 900 });
      await expect.poll(() => arrived.at(-1)?.method).toBe(verb);
      await page.evaluate(() => dispatchEvent(new Event("enough")));
      expect(await ended).toEqual({ reasonIsTheCallers: true, timersLeft: 0 });
      const asked = (): number => arrived.filter(({ path: at }) => at.includes("tryon")).length;
      const before = asked();
      await page.evaluate((options) => new client.TryOn(options).account.get(), access);
      expect(asked()).toBe(before);
      expect(troubles).toEqual([]);
    },
  );

  test("ends with the caller's reason while it sends, and sends no more", async () => {
    const { page, access, troubles } = await opened();
    const { url: baseUrl, posts } = await deafServer();
    // More than connections hold in their buffers.
    const ended = leaves(page, { options: { ...access, baseUrl }, sync: true, size: 9_000_000 });
    await expect.poll(() => posts.length).toBe(1);
    await page.evaluate(() => dispatchEvent(new Event("enough")));
    expect(await ended).toEqual({ reasonIsTheCallers: true, timersLeft: 0 });
    const [request] = posts;
    request?.resume();
    await expect.poll(() => request?.destroyed).toBe(true);
    expect(request?.complete).toBe(false);
    expect(posts).toHaveLength(1);
    expect(troubles).toEqual([]);
  });

  test("refuses a live key unless it is allowed, and works on a page without https", async () => {
    // A server that is strict about addresses would send such a page to https.
    const options = { slashRedirect: false };
    const { page, access, troubles } = await opened({ options, corsOrigins: ["*"] }, shopHost);
    const service = access.baseUrl.replace("127.0.0.1", serviceHost);
    const made = await page.evaluate(
      async ({ apiKey, baseUrl, loopback, tryOn }) => {
        const refused = (own: Client.TryOnOptions): string => {
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
          refusals: [refused({ allowInsecure: true }), refused({ allowLiveKey: true })],
          allowed: [
            refused({ baseUrl: loopback }),
            refused({ allowInsecure: true, fetch: (...call) => fetch(...call) }),
            refused({ allowInsecure: true, apiKey: "svc_test_mock" }),
          ],
        };
      },
      { apiKey: access.apiKey, baseUrl: service, loopback: access.baseUrl, tryOn: input },
    );
    expect(made).toEqual({
      isSecureContext: false,
      credits: 8,
      key: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-8a/) as unknown,
      refusals: [
        expect.stringMatching(/^unsafe_environment .*a browser.*allowLiveKey/) as unknown,
        expect.stringMatching(/^unsafe_environment .*http.*allowInsecure/) as unknown,
      ],
      allowed: ["object", "object", "object"],
    });
    expect(troubles).toEqual([]);
  });

  describe("fails with an error of its own", () => {
    test("at a redirect, which is not followed", async () => {
      const { page, mock, access } = await opened();
      const elsewhere = await httpServer((response) => response.end());
      const location = `${elsewhere.url}/there`;
      mock.faults.add({ on: "* /api/v1/*", status: 307, headers: { location } });
      const ended = await ends(page, access);
      expect(ended.map(({ code }) => code)).toEqual(["redirected", "redirected"]);
      // Pages are not told the status of a redirect, and 0 is none.
      expect(ended.filter((error) => "status" in error)).toEqual([]);
      expect(elsewhere.got).toEqual([]);
    });

    test("at a page of a proxy", async () => {
      const { page, mock, access } = await opened();
      const html = "<html><style>p{}</style><h1>413 Too Large</h1></html>";
      mock.faults.add({ on: "* /api/v1/*", status: 413, body: html, html: true });
      const error = { code: "payload_too_large", status: 413 };
      const message = expect.stringContaining("413 Too Large") as unknown;
      expect(await ends(page, access)).toMatchObject([{ ...error, message }, error]);
    });

    test("where nobody listens", async () => {
      const { page, access } = await opened();
      const baseUrl = await closedUrl();
      // A browser does not say that nothing was sent.
      const ended = await ends(page, { ...access, baseUrl });
      expect(ended).toMatchObject([
        { code: "connection_failed", cause: expect.stringContaining("Failed to fetch") as unknown },
        { code: "outcome_unknown", cause: "connection_failed" },
      ]);
    });

    test("where the service knows nothing of pages", async () => {
      const { page, access } = await opened();
      const { url: baseUrl, got } = await httpServer((response) => response.end("{}"));
      const ended = await ends(page, { ...access, baseUrl });
      expect(ended).toMatchObject([
        { code: "connection_failed" },
        { code: "outcome_unknown", cause: "connection_failed" },
      ]);
      expect(got.map(({ method }) => method)).toEqual(["OPTIONS", "OPTIONS"]);
    });
  });

  test("sends through middleware without showing it the key", async () => {
    const { page, access, troubles } = await opened();
    const passed = await page.evaluate(async (options) => {
      const names: string[] = [];
      const middleware: Client.Middleware = (request, next, { purpose }) => {
        names.push(`${purpose} ${request.headers.has("authorization")}`);
        return next(request);
      };
      await new client.TryOn({ ...options, middleware }).account.get();
      return names;
    }, access);
    expect(passed).toEqual(["read false"]);
    expect(troubles).toEqual([]);
  });
});

/** A server that lets pages send, and reads nothing of what they send. */
async function deafServer(): Promise<{ url: string; posts: readonly IncomingMessage[] }> {
  const posts: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    // One that is cut off is an error to it.
    if (request.method === "POST") return void posts.push(request.on("error", () => undefined));
    response.setHeader("Access-Control-Allow-Origin", "*");
    response.setHeader("Access-Control-Allow-Headers", "*, Authorization");
    return response.end();
  });
  return { url: await listen(server), posts };
}
