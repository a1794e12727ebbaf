import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { installedEngines, type Page } from "@tryon/test-kit/browsers";
import { shirtUrl } from "../../test/service.ts";
import { readStored } from "../../test/stored.ts";
import { startBrowser } from "../../test/browser.ts";
import {
  begin,
  bundleSession,
  moveClock,
  openSessionShop,
  photoSize,
  requestsOf,
  savedTryOns,
  statusOf,
  untilStatus,
  type PageGlobals,
  type SessionShop,
} from "../../test/session-shop.ts";

declare const inStore: PageGlobals["inStore"];
declare const session: PageGlobals["session"];
declare const statuses: PageGlobals["statuses"];
declare const resetAll: PageGlobals["resetAll"];
declare const create: PageGlobals["create"];

const [minute, hour] = [60_000, 3_600_000];

describe.each(await installedEngines(["chromium"]))("try-ons that %s has saved", (engine) => {
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let bundle: Uint8Array;
  let shop: SessionShop;
  /** Page of the same origin without a session. */
  let other: Page;
  beforeAll(async () => {
    [browser, bundle] = await Promise.all([startBrowser(engine), bundleSession("TryOn")]);
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    shop = await openSessionShop(browser, bundle);
    other = await shop.context.newPage();
    await other.goto(`${shop.url}/other`);
  });

  async function run(query: string, prepare?: () => void): Promise<Page> {
    const page = await shop.open(prepare, query);
    await begin(page);
    await untilStatus(page, "waiting");
    return page;
  }

  /** Opens a tab, and waits until its session has read the storage. */
  async function open(query: string): Promise<Page> {
    const page = await shop.open(undefined, query);
    // Each access waits for those before it: the session deletes, and then reads.
    for (let access = 0; access < 3; access += 1) await savedTryOns(page);
    return page;
  }

  async function leave(query: string): Promise<void> {
    await (await run(query)).close();
  }

  const replaceSaved = (name: string, fields: object): Promise<void> =>
    other.evaluate(
      async ([key, replaced]) => {
        const [saved] = await inStore((all) => [all.get(key)]);
        await inStore((all) => [all.put({ ...Object(saved), ...replaced }, key)]);
      },
      [name, fields] as const,
    );

  test("are deleted by any session once they are older than their own maxAge", async () => {
    await leave("?name=shirt");
    await leave("?name=shoes&maxAge=1h");
    await leave("?name=coat&user=ada");
    await moveClock(other, 59 * minute);
    await (await open("?name=hat")).close();
    expect(await savedTryOns(other)).toEqual({ shirt: true, shoes: true, "ada,coat": true });
    await moveClock(other, 2 * minute);
    await (await open("?name=hat&maxAge=1m")).close();
    await expect.poll(() => savedTryOns(other)).toEqual({ shirt: true, "ada,coat": true });
    await moveClock(other, 40 * 24 * hour);
    await open("?name=hat&maxAge=100h");
    await expect.poll(() => savedTryOns(other)).toEqual({});
  });

  test("are continued until their maxAge, and not after it", async () => {
    await leave("");
    await moveClock(other, 24 * hour - minute);
    const page = await shop.open();
    await untilStatus(page, "waiting");
    await page.close();
    await moveClock(other, 2 * minute);
    const late = await open("");
    await expect.poll(() => savedTryOns(other)).toEqual({});
    expect(await late.evaluate(() => statuses)).toEqual([]);
    expect(await requestsOf(late)).toEqual([]);
  });

  test("are deleted if the clock was set back by more than their maxAge", async () => {
    await leave("?name=shirt");
    await moveClock(other, -23 * hour);
    await (await open("?name=hat")).close();
    expect(await savedTryOns(other)).toEqual({ shirt: true });
    await moveClock(other, -2 * hour);
    await open("?name=hat");
    await expect.poll(() => savedTryOns(other)).toEqual({});
  });

  test("are not sent again after a reload if they are dated in the future", async () => {
    shop.gates.before = new Promise(() => undefined);
    const page = await shop.open();
    await begin(page);
    await untilStatus(page, "uploading");
    await moveClock(other, -minute);
    await page.reload();
    await untilStatus(page, "failed");
    const error = { code: "outcome_unknown", message: "Its idempotency key has expired." };
    expect(await page.evaluate(() => session.getSnapshot())).toMatchObject({ error });
    expect(await requestsOf(page)).toEqual(["GET /api/tryon/api/v1/tryon"]);
  });

  test("of an earlier release are continued, and not sent once their key is over", async () => {
    // The file has pairs of a key and a try-on.
    const stored = JSON.parse(readStored("sessions.json")) as [string | string[], object][];
    await (await open("?name=hat")).close();
    await other.evaluate(async (rows) => {
      const startedAt = Date.now() - 26 * 60_000;
      await inStore((all) => rows.map(([key, saved]) => all.put({ ...saved, startedAt }, key)));
    }, stored);
    const shown: Record<string, unknown> = {};
    const show = async ([key]: (typeof stored)[number]): Promise<void> => {
      const [name = "", user] = [key].flat().toReversed();
      const page = await shop.open(undefined, `?name=${name}${user ? `&user=${user}` : ""}`);
      await untilStatus(page, name === "interrupted" ? name : "failed");
      const { error } = Object(await page.evaluate(() => session.getSnapshot()));
      shown[name] = error?.code;
    };
    await Promise.all(stored.map(show));
    expect(shown).toEqual({
      interrupted: undefined,
      succeeded: "not_found",
      uploading: "outcome_unknown",
      waiting: "not_found",
    });
    expect(shop.submissions()).toBe(0);
  });

  // WebKit stores no Blob here.
  test.skipIf(engine === "webkit")("of an earlier release with a Blob are continued", async () => {
    await other.evaluate(async (garment) => {
      const opening = indexedDB.open("tryon-session", 1);
      opening.addEventListener("upgradeneeded", () => opening.result.createObjectStore("try-ons"));
      await new Promise((resolve) => opening.addEventListener("success", resolve));
      const person = await (await fetch("/photo.jpg")).blob();
      const input = { person, garments: [garment] };
      const saved = { idempotencyKey: "1-2-3-4", startedAt: Date.now(), input };
      const transaction = opening.result.transaction("try-ons", "readwrite");
      transaction.objectStore("try-ons").put(saved, "try-on");
      await new Promise((resolve) => transaction.addEventListener("complete", resolve));
      opening.result.close();
    }, shirtUrl);
    const page = await shop.open();
    await untilStatus(page, "waiting");
    expect(await photoSize(page)).toBe(200_000);
    expect(await shop.charges()).toEqual([-8]);
  });

  test("of a newer release stay, and a session without storage works beside them", async () => {
    await other.evaluate(async () => {
      const opening = indexedDB.open("tryon-session", 3);
      opening.addEventListener("upgradeneeded", () => opening.result.createObjectStore("newer"));
      await new Promise((resolve) => opening.addEventListener("success", resolve));
      opening.result.close();
    });
    const page = await run("");
    expect(await page.evaluate(() => session.getSnapshot())).toMatchObject({ isSaved: false });
    const names = await other.evaluate(async () => {
      const opening = indexedDB.open("tryon-session");
      await new Promise((resolve) => opening.addEventListener("success", resolve));
      return [...opening.result.objectStoreNames];
    });
    expect(names).toEqual(["newer"]);
  });

  test.each([
    ["the default", "", 24 * hour],
    ["its own", "&maxAge=1h", hour],
  ])("of an earlier version are deleted after the maxAge of the opener: %s", async (...row) => {
    const [, option, maxAge] = row;
    await leave("?name=shirt");
    await replaceSaved("shirt", { maxAge: null });
    await moveClock(other, maxAge - minute);
    await (await open(`?name=hat${option}`)).close();
    expect(await savedTryOns(other)).toEqual({ shirt: true });
    await moveClock(other, 2 * minute);
    await open(`?name=hat${option}`);
    await expect.poll(() => savedTryOns(other)).toEqual({});
  });

  test("of a user are neither shown nor sent for another one, who deletes them", async () => {
    await leave("?user=ada");
    await leave("");
    expect(await savedTryOns(other)).toEqual({ "ada,try-on": true, "try-on": true });
    const ada = await shop.open(undefined, "?user=ada");
    await untilStatus(ada, "waiting");
    await ada.close();
    const bob = await open("?user=bob");
    await expect.poll(() => savedTryOns(other)).toEqual({ "try-on": true });
    expect(await bob.evaluate(() => statuses)).toEqual([]);
    expect(await requestsOf(bob)).toEqual([]);
    const again = await open("?user=ada");
    expect(await statusOf(again)).toBe("idle");
  });

  test("of a user are not shown without a user, and wait for theirs", async () => {
    await leave("?user=ada");
    const anyone = await open("");
    expect(await statusOf(anyone)).toBe("idle");
    expect(await requestsOf(anyone)).toEqual([]);
    const ada = await shop.open(undefined, "?user=ada");
    await untilStatus(ada, "waiting");
    expect(await statusOf(anyone)).toBe("idle");
  });

  test("are all deleted by resetAll, in every tab", async () => {
    const shirt = await run("?name=shirt");
    const same = await shop.open(undefined, "?name=shirt");
    await untilStatus(same, "waiting");
    const shoes = await run("?name=shoes");
    const coat = await run("?name=coat&user=ada");
    await leave("?name=hat");
    await shirt.evaluate(() => {
      session.subscribe(() => {
        throw new Error("The listener fails.");
      });
    });
    await shirt.evaluate(() => resetAll());
    expect(await savedTryOns(other)).toEqual({});
    expect(await statusOf(shirt)).toBe("idle");
    for (const page of [same, shoes, coat]) await untilStatus(page, "idle");
    expect(await savedTryOns(other)).toEqual({});
  });

  test("are all deleted by resetAll of a page whose session was closed", async () => {
    const shirt = await run("?name=shirt");
    const page = await shop.open(undefined, "?name=shoes");
    await page.evaluate(async () => {
      session.close();
      await resetAll();
    });
    expect(await savedTryOns(other)).toEqual({});
    await untilStatus(shirt, "idle");
  });

  test("stay if they are started right after resetAll", async () => {
    const page = await run("?name=shirt");
    await page.evaluate(async (garment) => {
      const person = await (await fetch("/photo.jpg")).blob();
      const resetting = resetAll();
      void session.start({ person, garments: [garment] });
      await resetting;
    }, shirtUrl);
    await untilStatus(page, "waiting");
    expect(await savedTryOns(other)).toEqual({ shirt: true });
  });

  test.each([
    ["resetAll", () => resetAll()],
    ["reset", () => session.reset()],
  ])("are deleted by the tab that saved them after %s of another tab", async (_name, reset) => {
    const running = await run("");
    const second = await shop.open();
    await untilStatus(second, "waiting");
    // The deletion comes too early to find the try-on.
    await second.evaluate(() => {
      IDBCursor.prototype.delete = () => new EventTarget() as IDBRequest<undefined>;
    });
    await second.evaluate(reset);
    await untilStatus(running, "idle");
    await expect.poll(() => savedTryOns(other)).toEqual({});
  });

  test("are not shown by the back button after resetAll", async () => {
    // A page in the back/forward cache gets no messages.
    const page = await run("", () =>
      Object.defineProperty(globalThis, "BroadcastChannel", { value: undefined }),
    );
    await page.evaluate(() => session.cancelWait());
    await untilStatus(page, "interrupted");
    const second = await shop.open(undefined, "?name=shoes");
    await second.evaluate(() => resetAll());
    await page.evaluate(() =>
      dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })),
    );
    await untilStatus(page, "idle");
    expect(await page.evaluate(() => session.getSnapshot())).toEqual({ status: "idle" });
  });

  test("are shown after the back button where the browser stores nothing", async () => {
    const page = await run("", () =>
      Object.defineProperty(globalThis, "indexedDB", { value: undefined }),
    );
    await page.evaluate(() => session.cancelWait());
    await untilStatus(page, "interrupted");
    await page.evaluate(async () => {
      dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
      // It comes after all accesses before, and is of another name.
      await create({ name: "shoes" }).reset();
    });
    expect(await statusOf(page)).toBe("interrupted");
  });

  test("stay if another tab has replaced them before a reset arrives", async () => {
    const page = await run("");
    await replaceSaved("try-on", { idempotencyKey: "newer" });
    await other.evaluate(() => {
      const channel = new BroadcastChannel("tryon-session:try-on");
      // The channel has one origin.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      channel.postMessage({ kind: "reset" });
    });
    await untilStatus(page, "idle");
    // Each access waits for those before it.
    for (let access = 0; access < 2; access += 1) await savedTryOns(page);
    expect(await savedTryOns(other)).toEqual({ "try-on": true });
  });

  test("are deleted in a tab that has closed another session", async () => {
    const page = await run("?name=shirt");
    const shoes = await shop.open(undefined, "?name=shoes");
    await page.evaluate(() => {
      const coat = create({ name: "coat" });
      coat.subscribe(() => undefined);
      coat.close();
    });
    await shoes.evaluate(() => resetAll());
    await untilStatus(page, "idle");
    expect(await savedTryOns(other)).toEqual({});
  });

  test("are not shown again if a listener resets the session when the job has ended", async () => {
    const page = await run("");
    await page.evaluate(() => {
      session.subscribe(() => {
        const state = session.getSnapshot();
        if (state.status === "waiting" && state.jobStatus !== "running") void session.reset();
      });
    });
    await expect
      .poll(async () => {
        await shop.mock.clock.advance("5s");
        return statusOf(page);
      })
      .toBe("idle");
    await page.evaluate(() => session.reset());
    expect(await page.evaluate(() => statuses.slice(-2))).toEqual(["idle", "idle"]);
  });

  test("are not sent if resetAll comes before the lock of the tab", async () => {
    const page = await shop.open();
    await page.evaluate(() => {
      const request = Reflect.get(LockManager.prototype, "request");
      LockManager.prototype.request = async function lockLater(...args: unknown[]) {
        await resetAll();
        return Reflect.apply(request, this, args);
      };
    });
    await begin(page);
    await untilStatus(page, "idle");
    await page.evaluate(async () => (await navigator.locks.query()).held);
    expect(await page.evaluate(() => [...new Set(statuses)])).toEqual(["preparing", "idle"]);
    expect(shop.submissions()).toBe(0);
    expect(await savedTryOns(other)).toEqual({});
  });

  test.each([
    ["again", "while the service keeps its key", 21 * minute, 2, "waiting"],
    ["once", "if a submission could end after that", 23 * minute, 1, "failed"],
    ["once", "if the clock was set back", -23 * minute, 1, "failed"],
  ])("are sent %s %s", async (_sent, _when, age, submissions, status) => {
    const gate = Promise.withResolvers<void>();
    shop.gates.after = gate.promise;
    const page = await shop.open();
    await begin(page);
    await shop.mock.journal.waitFor("POST /api/v1/tryon", { until: "completed" });
    await page.close();
    shop.gates.after = Promise.resolve();
    gate.resolve();
    await moveClock(other, age);
    const later = await shop.open();
    await untilStatus(later, status);
    expect(shop.submissions()).toBe(submissions);
    const { error } = await later.evaluate(() => ({ error: undefined, ...session.getSnapshot() }));
    expect(error?.code).toBe(status === "failed" ? "outcome_unknown" : undefined);
  });
});
