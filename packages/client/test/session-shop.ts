import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import { createMock, type MockOptions } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { expect, onTestFinished } from "vitest";

import type { Browser, Page } from "@tryon/test-kit/browsers";
import { toNodeHandler } from "../src/node/index.ts";
import { createProxy } from "../src/proxy/index.ts";
import type { TryOnSession, TryOnSessionOptions } from "../src/session/index.ts";
import { jpegBytes } from "./bodies.ts";
import { bundlePage } from "./browser.ts";
import { listen } from "./http-server.ts";
import { shirtUrl } from "./service.ts";

/** Clients that a page can have, as code. */
const clients = {
  PageClient: 'new PageClient({ baseUrl: "/api/tryon", pollInterval: 100 })',
  TryOn: 'new TryOn({ proxyUrl: "/api/tryon", pollInterval: 100 })',
} as const;

export type PageClientName = keyof typeof clients;

/** Script of the page: a session with the options of the query, and a function that starts a try-on. */
const script = (client: PageClientName) => `
  import { TryOn } from "@tryon/client";
  import { createTryOnSession, PageClient, resetAll } from "@tryon/client/session";
  const { now } = Date;
  Date.now = () => now() + Number(localStorage.getItem("clock"));
  const prepare = (input) => globalThis.hangs ? new Promise(() => {}) : input;
  const tryon = ${clients[client]};
  const options = Object.fromEntries(new URLSearchParams(location.search));
  const create = (options) => createTryOnSession(tryon, { prepare, ...options });
  const session = create(options);
  const statuses = [];
  session.subscribe(() => statuses.push(session.getSnapshot().status));
  const begin = async () => {
    const person = await (await fetch("/photo.jpg")).blob();
    void session.start({ person, garments: [${JSON.stringify(shirtUrl)}] });
  };
  const pixels = async () => {
    const { image } = session.getSnapshot();
    return image ? (await createImageBitmap(image)).width : 0;
  };
  Object.assign(globalThis, { session, create, resetAll, statuses, begin, pixels });`;

/** Globals of the page, where callbacks of `page.evaluate` run. */
export interface PageGlobals {
  readonly session: TryOnSession;
  readonly create: (options: TryOnSessionOptions) => TryOnSession;
  readonly resetAll: () => Promise<void>;
  readonly statuses: readonly string[];
  readonly begin: () => Promise<void>;
  readonly pixels: () => Promise<number>;
  /** Requests of the page to the service. */
  readonly sent: readonly string[];
  /** Makes requests to the saved try-ons of the browser, and returns their results. */
  readonly inStore: (work: (all: IDBObjectStore) => IDBRequest[]) => Promise<unknown[]>;
}

const html = `<!doctype html><link rel="icon" href="data:,"><title>Shop</title>
<script>
  const sent = [];
  globalThis.sent = sent;
  globalThis.fetch = new Proxy(fetch, {
    apply(send, self, [url, init]) {
      const { pathname } = new URL(url, location);
      if (pathname.startsWith("/api/")) sent.push(\`\${init.method} \${pathname}\`);
      return Reflect.apply(send, self, [url, init]);
    },
  });
</script>
<script type="module" src="/page.js"></script>`;

export function bundleSession(client: PageClientName = "PageClient"): Promise<Uint8Array> {
  return bundlePage(script(client));
}

/** Starts a shop with the proxy and a page with a script, in front of a mock with a manual clock. */
export async function startShop(bundle: Uint8Array, document: string, options: MockOptions) {
  const mock = createMock({ seed: "session", clock: "manual", latency: "20s", ...options });
  const service = await serve(mock);
  /** Waits before the shop forwards a submission, and before it responds to one. */
  const gates = { before: Promise.resolve(), after: Promise.resolve() };
  const createHandler = () =>
    toNodeHandler(
      createProxy({
        apiKey: mock.keys.live,
        baseUrl: service.url,
        authorize: () => !shop.isSignedOut && { id: "ada" },
        onError: () => undefined,
      }),
    );
  let handler = createHandler();
  const forward = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    if (incoming.method === "POST") {
      const { before, after } = gates;
      await before;
      const end = outgoing.end.bind(outgoing);
      outgoing.end = ((...rest: Parameters<typeof end>) => {
        void after.then(() => end(...rest));
        return outgoing;
      }) as typeof outgoing.end;
    }
    handler(incoming, outgoing);
  };
  const server = createServer((incoming, outgoing) => {
    const [url = ""] = (incoming.url ?? "").split("?");
    if (url.startsWith("/api/tryon/")) {
      void forward(incoming, outgoing);
      return;
    }
    const [type, body] =
      url === "/page.js"
        ? ["text/javascript", bundle]
        : url === "/photo.jpg"
          ? ["image/jpeg", jpegBytes(200_000)]
          : ["text/html", url === "/" ? document : "<!doctype html><title>Other</title>"];
    outgoing.writeHead(200, { "content-type": type }).end(body);
  });
  const url = await listen(server);
  onTestFinished(async () => {
    await service.close();
    mock.close();
  });
  const entries = async () => (await mock.ledger(mock.keys.live))?.entries ?? [];
  const shop = {
    /** If true, the proxy responds with 401. */
    isSignedOut: false,
    mock,
    url,
    serviceUrl: service.url,
    gates,
    /** Replaces the proxy, as a deployment does. */
    deploy: (): void => {
      handler = createHandler();
    },
    charges: async () =>
      (await entries()).flatMap(({ jobId, credits }) => (jobId === undefined ? [] : [credits])),
    /** Number of submissions that reached the service. */
    submissions: () => mock.journal.entries({ method: "POST", path: "/api/v1/tryon" }).length,
  };
  return shop;
}

export async function openSessionShop(
  browser: Browser,
  bundle: Uint8Array,
  options: MockOptions = {},
) {
  const shop = await startShop(bundle, html, options);
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  await context.addInitScript(addStore);
  const open = async (prepare?: () => void, query = ""): Promise<Page> => {
    const page = await context.newPage();
    if (prepare) await page.addInitScript(prepare);
    await page.goto(`${shop.url}/${query}`);
    await page.waitForFunction("globalThis.session");
    return page;
  };
  return Object.assign(shop, { context, open });
}

export type SessionShop = Awaited<ReturnType<typeof openSessionShop>>;

export const statusOf = (page: Page): Promise<string> =>
  page.evaluate(() => (globalThis as unknown as PageGlobals).session.getSnapshot().status);

export async function untilStatus(page: Page, status: string): Promise<void> {
  await expect.poll(() => statusOf(page), { timeout: 20_000 }).toBe(status);
}

/** Moves the clock of all pages of the shop, as of now, by milliseconds. */
export const moveClock = (page: Page, by: number): Promise<void> =>
  page.evaluate((time) => {
    localStorage.setItem("clock", String(Number(localStorage.getItem("clock")) + time));
  }, by);

/** Adds the global function `inStore` to a page. */
export function addStore(): void {
  // The page gets this function alone, as text.
  // oxlint-disable-next-line unicorn/consistent-function-scoping
  const until = (request: IDBRequest) =>
    new Promise((resolve) => request.addEventListener("success", () => resolve(request.result)));
  const inStore: PageGlobals["inStore"] = async (work) => {
    const opening = indexedDB.open("tryon-session");
    await until(opening);
    const { result } = opening;
    const all = result.transaction("try-ons", "readwrite").objectStore("try-ons");
    const results = await Promise.all(work(all).map(until));
    result.close();
    return results;
  };
  Object.assign(globalThis, { inStore });
}

/** Try-ons that the browser has saved: their keys, and whether they have a photo. */
export const savedTryOns = (page: Page): Promise<Record<string, boolean>> =>
  page.evaluate(async () => {
    const { inStore } = globalThis as unknown as PageGlobals;
    // These are the types of the two requests.
    const [keys, values] = (await inStore((all) => [all.getAllKeys(), all.getAll()])) as [
      unknown[],
      object[],
    ];
    return Object.fromEntries(
      keys.map((key, index) => [
        JSON.stringify(key).replaceAll(/["[\]]/g, ""),
        "input" in (values[index] ?? {}),
      ]),
    );
  });

/** Size of the photo that the page shows, in bytes. */
export const photoSize = (page: Page): Promise<number | undefined> =>
  page.evaluate(async () => {
    const state = (globalThis as unknown as PageGlobals).session.getSnapshot();
    return "person" in state ? (await state.person?.arrayBuffer())?.byteLength : undefined;
  });

export const requestsOf = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => (globalThis as unknown as PageGlobals).sent);

export const begin = (page: Page): Promise<void> =>
  page.evaluate(() => (globalThis as unknown as PageGlobals).begin());

/** Lets the service end its jobs until every tab shows the image. Returns the widths of the images. */
export async function untilImages({ mock }: SessionShop, ...pages: Page[]): Promise<number[]> {
  for (const page of pages) {
    await expect
      .poll(
        async () => {
          await mock.clock.advance("5s");
          return statusOf(page);
        },
        { timeout: 30_000 },
      )
      .toBe("succeeded");
  }
  return Promise.all(
    pages.map((page) => page.evaluate(() => (globalThis as unknown as PageGlobals).pixels())),
  );
}
