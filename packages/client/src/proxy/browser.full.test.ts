import { createServer } from "node:http";

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

import { installedEngines } from "@tryon/test-kit/browsers";
import type * as Client from "../index.ts";
import { bundleClient, startBrowser, type Bundle } from "../../test/browser.ts";
import { listen } from "../../test/http-server.ts";
import { serveUpstream } from "../../test/proxy-service.ts";
import { input } from "../../test/service.ts";
import type { ProxyOptions } from "./index.ts";

/** The client in the page, where callbacks of `page.evaluate` run. */
declare const client: typeof Client;

const document = `<!doctype html><link rel="icon" href="data:,"><title>Shop</title>
<script type="module" src="/page.js"></script>`;

describe.each(await installedEngines(["chromium"]))("a page in %s", (engine) => {
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let bundle: Bundle;
  beforeAll(async () => {
    [browser, bundle] = await Promise.all([startBrowser(engine), bundleClient()]);
  });
  afterAll(() => browser.close());

  /** Opens a site with a proxy and a signed-in page, and another proxy of the app at another origin. */
  async function openShop(elsewhere: (origin: string) => Partial<ProxyOptions> = () => ({})) {
    const { mock, nodeProxy } = await serveUpstream(
      ({ headers }) => headers.get("cookie") === "session=7f3a" && { id: "ada" },
    );
    const own = nodeProxy();
    const origin = await listen(
      createServer((incoming, outgoing) => {
        const { url = "" } = incoming;
        if (url.startsWith("/api/tryon/")) return own(incoming, outgoing);
        const type = url.endsWith(".js") ? "text/javascript" : "text/html";
        const file = url === "/" ? document : bundle.files.get(url);
        outgoing.setHeader("set-cookie", "session=7f3a; HttpOnly");
        return outgoing.writeHead(file ? 200 : 404, { "content-type": type }).end(file);
      }),
    );
    const other = await listen(createServer(nodeProxy(elsewhere(origin))));
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(origin);
    await page.waitForFunction("globalThis.client");
    return { mock, page, other };
  }

  test("makes a try-on through the proxy of its site, with its cookies and without a key", async () => {
    const { mock, page } = await openShop();
    const made = await page.evaluate(async (tryOn) => {
      const tryon = new client.TryOn({ proxyUrl: "/api/tryon" });
      const image = new Blob([Uint8Array.of(255, 216, 255), new Uint8Array(400_000)]);
      const { job, image: result } = await tryon.run({ ...tryOn, person: image });
      const shown = await createImageBitmap(await result.blob());
      const again = await tryon.jobs.resume(job.id).result();
      return { id: job.id, width: shown.width, again: again.job.id };
    }, input);
    expect(made).toMatchObject({ width: 768, again: made.id });
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
  });

  test.each([
    ["gets payload_too_large for large images", "own", [], 9_000_000, "payload_too_large", 1_000],
    ["cannot use the proxy of another site", "other", [], 0, "outcome_unknown", 1_000],
    ["can use one of another site that allows its origin", "other", ["own"], 0, "none", 992],
  ])("%s", async (_name, site, allowed, imageSize, code, balance) => {
    const { mock, page, other } = await openShop((origin) => ({
      origins: allowed.map(() => origin),
    }));
    const path = "/api/tryon";
    const ended = await page.evaluate(
      async ({ proxyUrl, tryOn, size }) => {
        const image = new Blob([Uint8Array.of(255, 216, 255), new Uint8Array(size)]);
        const tryon = new client.TryOn({
          proxyUrl,
          retries: 0,
          fetch: (url, init) =>
            fetch(url, { ...init, ...(url.includes(proxyUrl) && { credentials: "include" }) }),
        });
        try {
          await tryon.run(size > 0 ? { person: image, garments: [image] } : tryOn);
          return "none";
        } catch (error) {
          return client.isTryOnError(error) ? error.code : String(error);
        }
      },
      { proxyUrl: site === "own" ? path : `${other}${path}`, tryOn: input, size: imageSize },
    );
    expect(ended).toBe(code);
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(balance);
  });
});
