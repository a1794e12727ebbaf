import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

import { goBack, installedEngines, type Page } from "@tryon/test-kit/browsers";
import { cases } from "@tryon/test-kit/cases";
import { startBrowser } from "../../test/browser.ts";
import { shirtUrl } from "../../test/service.ts";
import {
  begin,
  bundleSession,
  openSessionShop,
  photoSize,
  requestsOf,
  savedTryOns,
  statusOf,
  untilImages,
  untilStatus,
  type PageGlobals,
  type SessionShop,
} from "../../test/session-shop.ts";

declare const create: PageGlobals["create"];
declare const inStore: PageGlobals["inStore"];
declare const session: PageGlobals["session"];
declare const statuses: PageGlobals["statuses"];

const withoutLocks = (): unknown =>
  Object.defineProperty(Navigator.prototype, "locks", { value: undefined });

/** Makes images unreadable until the next load, as WebKit does while it closes a page. */
function closePage(): void {
  if (sessionStorage.getItem("closed") !== null) return;
  Blob.prototype.slice = () => {
    sessionStorage.setItem("closed", "yes");
    throw new DOMException("The page is closed.", "NotReadableError");
  };
}

async function reload(page: Page): Promise<void> {
  await page.reload();
  await page.waitForFunction("globalThis.session");
}

async function returnFrom(page: Page): Promise<void> {
  await goBack(page);
  await page.waitForFunction('location.pathname === "/" && globalThis.session');
}

/** Opens a tab and starts a try-on, up to a status. */
async function run(shop: SessionShop, status = "waiting", prepare?: () => void): Promise<Page> {
  const page = await shop.open(prepare);
  await begin(page);
  await untilStatus(page, status);
  return page;
}

/** Opens a tab and starts a try-on whose response the shop holds back, until `release` or for the next one. */
async function holdResponse(shop: SessionShop) {
  const { promise, resolve } = Promise.withResolvers<void>();
  shop.gates.after = promise;
  const page = await run(shop, "uploading");
  await shop.mock.journal.waitFor("POST /api/v1/tryon", { until: "completed" });
  shop.gates.after = Promise.resolve();
  return { page, release: resolve };
}

/** Faults, and the tabs that show the image in the end. */
const faults: Readonly<Record<string, (shop: SessionShop) => Promise<readonly Page[]>>> = {
  nothing: async (shop) => [await run(shop)],
  "a reload before anything was saved, and a second start": async (shop) => {
    const page = await run(shop, "preparing", () =>
      Object.assign(globalThis, { hangs: sessionStorage.length === 0 }),
    );
    await page.evaluate(() => sessionStorage.setItem("reloaded", "yes"));
    await reload(page);
    expect(await statusOf(page)).toBe("idle");
    await begin(page);
    return [page];
  },
  "a reload during the upload, before the service has it": async (shop) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    shop.gates.before = promise;
    const page = await run(shop, "uploading");
    const reloading = reload(page);
    resolve();
    await reloading;
    return [page];
  },
  "a reload during the upload, after the service has it": async (shop) => {
    const { page, release } = await holdResponse(shop);
    await reload(page);
    release();
    await untilStatus(page, "waiting");
    // Firefox can send a retry before it replaces the page.
    expect([2, 3]).toContain(shop.submissions());
    return [page];
  },
  "images that cannot be read while the page is closed, and a reload": async (shop) => {
    const page = await run(shop, "failed", closePage);
    await reload(page);
    return [page];
  },
  "a reload during the wait": async (shop) => {
    const page = await run(shop);
    await reload(page);
    await untilStatus(page, "waiting");
    return [page];
  },
  "a reload after the image": async (shop) => {
    const page = await run(shop);
    await untilImages(shop, page);
    await reload(page);
    return [page];
  },
  "a closed tab, and a new one after the job has ended": async (shop) => {
    await (await run(shop)).close();
    await shop.mock.clock.advance("60s");
    return [await shop.open()];
  },
  "a tab closed during the upload, and a new one": async (shop) => {
    const { page, release } = await holdResponse(shop);
    await page.close();
    release();
    return [await shop.open()];
  },
  "a second tab": async (shop) => {
    const page = await run(shop);
    const second = await shop.open();
    await untilStatus(second, "waiting");
    return [page, second];
  },
  "a second tab that goes on when the first is closed": async (shop) => {
    const first = await run(shop);
    const second = await shop.open();
    await untilStatus(second, "waiting");
    expect(await requestsOf(second)).toEqual([]);
    await first.close();
    await expect.poll(async () => (await requestsOf(second)).length).toBeGreaterThan(0);
    return [second];
  },
  "two tabs without Web Locks": async (shop) => {
    const page = await run(shop, "waiting", withoutLocks);
    return [page, await shop.open(withoutLocks)];
  },
  "no connection during the wait": async (shop) => {
    const page = await run(shop);
    await shop.context.setOffline(true);
    await shop.mock.clock.advance("60s");
    await shop.context.setOffline(false);
    return [page];
  },
  "a deployment of the shop, and a reload": async (shop) => {
    const page = await run(shop);
    shop.deploy();
    await reload(page);
    return [page];
  },
  "another page, and the back button": async (shop) => {
    const page = await run(shop);
    await page.goto(`${shop.url}/other`);
    await returnFrom(page);
    return [page];
  },
  "the back button after the image": async (shop) => {
    const page = await run(shop);
    await untilImages(shop, page);
    await page.goto(`${shop.url}/other`);
    await returnFrom(page);
    return [page];
  },
  "the end of waiting, a reload, and waiting again": async (shop) => {
    const page = await run(shop);
    await page.evaluate(() => session.cancelWait());
    await untilStatus(page, "interrupted");
    await reload(page);
    await untilStatus(page, "interrupted");
    await shop.mock.clock.advance("60s");
    await page.evaluate(() => void session.resume());
    return [page];
  },
  "the end of waiting during the upload, and waiting again": async (shop) => {
    const { page, release } = await holdResponse(shop);
    await page.evaluate(() => session.cancelWait());
    release();
    await page.evaluate(() => void session.resume());
    return [page];
  },
};

/** Browsers that do not store everything, and what they store. */
const stores: readonly (readonly [string, "job" | false, () => void])[] = [
  [
    "a disk that is too full for images",
    "job",
    () => {
      IDBObjectStore.prototype.put = new Proxy(Reflect.get(IDBObjectStore.prototype, "put"), {
        apply(put, store, inputs: [object, IDBValidKey]) {
          if (!("input" in inputs[0])) return Reflect.apply(put, store, inputs);
          throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
        },
      });
    },
  ],
  [
    "a full disk",
    false,
    () => {
      IDBObjectStore.prototype.put = () => {
        throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
      };
    },
  ],
  [
    "a private window",
    false,
    () => {
      IDBFactory.prototype.open = () => {
        throw new DOMException("The operation is insecure.", "SecurityError");
      };
    },
  ],
  [
    "no database",
    false,
    () => Object.defineProperty(globalThis, "indexedDB", { value: undefined }),
  ],
];

describe.each(await installedEngines())("a session in %s", (engine) => {
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let bundle: Uint8Array;
  beforeAll(async () => {
    [browser, bundle] = await Promise.all([startBrowser(engine), bundleSession()]);
  });
  afterAll(() => browser.close());

  // In the full set, the other engines run what depends on their storage and their reloads.
  const isFull = engine === "chromium" || process.env["TRYON_TESTS"] === "nightly";
  const profiles = [
    ["default", "PageClient"],
    ...(isFull ? ([["alternate", "TryOn"]] as const) : []),
  ] as const;
  describe.each(profiles)("with the profile %s and %s", (profile, client) => {
    test.each(Object.entries(faults))(
      "shows the image and is charged once with %s",
      async (_f, play) => {
        const script = client === "TryOn" ? await bundleSession(client) : bundle;
        const shop = await openSessionShop(browser, script, { profile });
        const pages = await play(shop);
        const widths = await untilImages(shop, ...pages);
        expect({ charges: await shop.charges(), widths }).toEqual({
          charges: [-8],
          widths: pages.map(() => 768),
        });
      },
    );
  });

  // Each window of the other engines is private.
  const windows = engine === "firefox" ? ["a window", "a private window"] : ["a private window"];
  test.each(windows)("shows the photo in %s after a reload that follows the job", async (kind) => {
    const preferences = { "browser.privatebrowsing.autostart": kind === "a private window" };
    const own = engine === "firefox" ? await startBrowser(engine, { preferences }) : browser;
    if (own !== browser) onTestFinished(() => own.close());
    const shop = await openSessionShop(own, bundle);
    const page = await run(shop);
    await reload(page);
    await untilStatus(page, "waiting");
    await shop.mock.clock.advance("5s");
    expect(await photoSize(page)).toBe(200_000);
    expect(await page.evaluate(() => session.getSnapshot())).toMatchObject({ isSaved: "all" });
  });

  test("shows no other try-on after a reload at any moment of a start, and loses no charge", async () => {
    const shop = await openSessionShop(browser, bundle, { credits: 10_000 });
    const page = await shop.open();
    let started = 0;
    for (let round = 0; round < cases(200); round += 1) {
      await page.evaluate(async () => {
        const startedAt = Date.now() - 60_000;
        const old = { idempotencyKey: "old", startedAt, isPaused: true };
        await inStore((all) => [all.put(old, "try-on")]);
      });
      // It ends at once, since the reload would replace the document that has its result.
      await page.evaluate(
        ([delay, garment]) => {
          const person = new Blob([Uint8Array.of(255, 216, 255), new Uint8Array(500_000)]);
          Object.assign(globalThis, { isReplaced: true });
          setTimeout(() => {
            void session.start({ person, garments: [garment] });
            if (delay === 0) location.reload();
            else setTimeout(() => location.reload(), delay);
          });
        },
        [round % 40, shirtUrl] as const,
      );
      await page.waitForFunction("!globalThis.isReplaced && globalThis.session");
      // It comes after the accesses of the session.
      await page.evaluate(() => create({ name: "shoes" }).reset());
      await expect.poll(() => statusOf(page)).toMatch(/^(?:idle|waiting)$/);
      if ((await statusOf(page)) === "waiting") started += 1;
      await page.evaluate(() => session.reset());
    }
    expect(await shop.charges()).toEqual(Array.from({ length: started }, () => -8));
  });

  describe.runIf(isFull)("in a page", () => {
    test.each(stores)(
      "shows the image and is charged once with %s",
      async (_store, isSaved, prepare) => {
        const shop = await openSessionShop(browser, bundle);
        const page = await run(shop, "waiting", prepare);
        const snapshot = await page.evaluate(() => session.getSnapshot());
        expect(snapshot).toMatchObject({ isSaved });
        if (isSaved === "job") {
          await reload(page);
          await untilStatus(page, "waiting");
        }
        expect(await untilImages(shop, page)).toEqual([768]);
        expect(await shop.charges()).toEqual([-8]);
      },
    );

    test("keeps the key of a try-on whose images the browser could not store", async () => {
      const shop = await openSessionShop(browser, bundle);
      const [[, , prepare] = []] = stores;
      shop.gates.before = new Promise(() => undefined);
      const page = await run(shop, "uploading", prepare);
      await reload(page);
      await untilStatus(page, "failed");
      expect(await page.evaluate(() => session.getSnapshot())).toMatchObject({
        canResume: true,
        error: { code: "outcome_unknown", message: "The browser has not stored its images." },
      });
      expect(await savedTryOns(page)).toEqual({ "try-on": false });
      expect(shop.submissions()).toBe(0);
    });

    test("sends the images of this tab again, where the browser could not store them", async () => {
      const shop = await openSessionShop(browser, bundle);
      const [[, , prepare] = []] = stores;
      const { promise, resolve } = Promise.withResolvers<void>();
      shop.gates.before = promise;
      const page = await run(shop, "uploading", prepare);
      await page.evaluate(() => session.cancelWait());
      await untilStatus(page, "interrupted");
      resolve();
      await page.evaluate(() => void session.resume());
      expect(await untilImages(shop, page)).toEqual([768]);
      expect(await shop.charges()).toEqual([-8]);
    });

    test("polls in one tab only", async () => {
      const shop = await openSessionShop(browser, bundle);
      const first = await run(shop);
      const others = await Promise.all([shop.open(), shop.open()]);
      for (const page of others) await untilStatus(page, "waiting");
      await untilImages(shop, first, ...others);
      expect(await Promise.all(others.map(requestsOf))).toEqual([[], []]);
    });

    test("shows the try-on that was started last, in every tab", async () => {
      const shop = await openSessionShop(browser, bundle);
      const first = await run(shop);
      const second = await shop.open();
      await begin(second);
      await untilStatus(second, "waiting");
      await untilImages(shop, first, second);
      const jobs = await Promise.all(
        [first, second].map((page) =>
          page.evaluate(() => {
            const state = session.getSnapshot();
            return state.status === "succeeded" && state.jobId;
          }),
        ),
      );
      expect(jobs[0]).toBe(jobs[1]);
      expect(await shop.charges()).toEqual([-8, -8]);
    });

    test("starts again in the same tab", async () => {
      const shop = await openSessionShop(browser, bundle);
      const page = await run(shop);
      await begin(page);
      expect(await untilImages(shop, page)).toEqual([768]);
      expect(await shop.charges()).toEqual([-8, -8]);
    });

    test("deletes the images after success, and everything with reset, in every tab", async () => {
      const shop = await openSessionShop(browser, bundle);
      const page = await run(shop);
      const saved = () =>
        page.evaluate(async () => {
          const [all] = await inStore((store) => [store.getAll()]);
          // The request is for all of the saved objects.
          return (all as readonly object[]).map((one) => Object.keys(one).toSorted());
        });
      expect(await saved()).toEqual([["idempotencyKey", "input", "job", "maxAge", "startedAt"]]);
      await untilImages(shop, page);
      await expect.poll(saved).toEqual([["idempotencyKey", "job", "maxAge", "startedAt"]]);
      const second = await shop.open();
      await untilStatus(second, "succeeded");
      await page.evaluate(() => session.reset());
      expect(await saved()).toEqual([]);
      expect(await statusOf(page)).toBe("idle");
      await untilStatus(second, "idle");
    });

    test("stops waiting in every tab", async () => {
      const shop = await openSessionShop(browser, bundle);
      const first = await run(shop);
      const second = await shop.open();
      await untilStatus(second, "waiting");
      await second.evaluate(() => session.cancelWait());
      await untilStatus(first, "interrupted");
      await untilStatus(second, "interrupted");
      await second.evaluate(() => void session.resume());
      expect(await untilImages(shop, first, second)).toEqual([768, 768]);
      expect(await shop.charges()).toEqual([-8]);
    });

    test("shows the end of waiting once it is saved, so that a reload keeps it", async () => {
      const shop = await openSessionShop(browser, bundle);
      const page = await run(shop);
      const isSaved = page.evaluate(async () => {
        let isStored = false;
        IDBObjectStore.prototype.put = new Proxy(Reflect.get(IDBObjectStore.prototype, "put"), {
          apply(put, store: IDBObjectStore, inputs) {
            store.transaction.addEventListener("complete", () => (isStored = true));
            return Reflect.apply(put, store, inputs);
          },
        });
        return new Promise<boolean>((resolve) => {
          session.subscribe(() => resolve(isStored));
          session.cancelWait();
        });
      });
      expect(await isSaved).toBe(true);
      await reload(page);
      await untilStatus(page, "interrupted");
    });

    test("fails with the reason in every tab, and offers no second wait for a failed job", async () => {
      const shop = await openSessionShop(browser, bundle);
      shop.mock.nextJob({ outcome: "content_blocked" });
      const first = await run(shop);
      const second = await shop.open();
      await untilStatus(second, "waiting");
      await shop.mock.clock.advance("60s");
      for (const page of [first, second]) {
        await untilStatus(page, "failed");
        expect(await page.evaluate(() => session.getSnapshot())).toMatchObject({
          canResume: false,
          error: { code: "job_failed", isContentBlocked: true },
        });
      }
      await reload(first);
      expect(await statusOf(first)).toBe("idle");
    });

    test("keeps a try-on that may have been sent, while a resubmission is refused", async () => {
      const shop = await openSessionShop(browser, bundle);
      const { page, release } = await holdResponse(shop);
      shop.isSignedOut = true;
      await reload(page);
      release();
      await untilStatus(page, "failed");
      expect(await page.evaluate(() => session.getSnapshot())).toMatchObject({
        canResume: true,
        error: { code: "unauthorized" },
      });
      shop.isSignedOut = false;
      await page.evaluate(() => void session.resume());
      expect(await untilImages(shop, page)).toEqual([768]);
      expect(await shop.charges()).toEqual([-8]);
    });

    test("passes its states in order, with the same object between changes", async () => {
      const shop = await openSessionShop(browser, bundle);
      const page = await run(shop);
      await untilImages(shop, page);
      const passed = await page.evaluate(() => [...new Set(statuses)]);
      expect(passed).toEqual(["preparing", "uploading", "waiting", "succeeded"]);
      expect(await page.evaluate(() => session.getSnapshot() === session.getSnapshot())).toBe(true);
    });
  });
});
