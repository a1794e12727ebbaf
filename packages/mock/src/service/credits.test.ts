import { describe, expect, test } from "vitest";

import { createMock, type Mock } from "../mock.ts";
import { stockEngine } from "../engine/stock.ts";
import type { JobRecord, KeyRecord } from "../store/records.ts";
import { Store } from "../store/store.ts";
import { caller, finished, manualServer } from "../../test/caller.ts";
import { covers } from "../../test/covers.ts";
import { job as jobRecord, key as keyRecord } from "../../test/store-records.ts";
import { limits } from "./catalogue.ts";
import { chargeCredits, refundCredits } from "./credits.ts";

async function balance(mock: Mock, token: string): Promise<number> {
  const ledger = await mock.ledger(token);
  expect(ledger).toBeDefined();
  const sum = ledger?.entries.reduce((total, { credits }) => total + credits, 0);
  expect(ledger?.balance, "balance is the sum of the ledger").toBe(sum);
  return ledger?.balance ?? Number.NaN;
}

describe("the price of a try-on", () => {
  test.each([
    ["1K", 8],
    ["2K", 12],
    ["4K", 20],
  ])("is for %s %i credits, charged at once", async (output_size, cost) => {
    covers(
      "sizes.1k.cost",
      "sizes.2k.cost",
      "sizes.4k.cost",
      "submit-response.cost-credits.charged",
      "submit-response.credits-remaining.balance",
    );
    const mock = createMock({ clock: "manual" });
    const { body } = await caller(mock).submit({ output_size });
    expect(body).toMatchObject({ cost_credits: cost, credits_remaining: 1_000 - cost });
    expect(await balance(mock, mock.keys.live)).toBe(1_000 - cost);
  });

  test("causes a 402 without a job if the balance is too small", async () => {
    covers("submit.402.too-few-credits");
    const mock = createMock({ clock: "manual" });
    const { token } = await mock.createKey({ credits: 19 });
    const call = caller(mock, token);
    const rejected = await call.submit({ output_size: "4K" });
    expect(rejected.status).toBe(402);
    expect(rejected.detail).toMatch(/20.*19/);
    expect((await call.list()).body.jobs).toEqual([]);
    expect((await call.submit({ output_size: "2K" })).status).toBe(200);
    expect(await balance(mock, token)).toBe(7);
  });

  test("is charged for as many concurrent requests as the balance allows", async () => {
    covers("credits.deducted.atomically");
    const mock = createMock({ clock: "manual" });
    const { token } = await mock.createKey({ credits: 8 * 5 });
    const call = caller(mock, token);
    const responses = await Promise.all(Array.from({ length: 20 }, () => call.submit()));
    const count = (status: number): number =>
      responses.filter((response) => response.status === status).length;
    expect([count(200), count(402)]).toEqual([5, 15]);
    expect(await balance(mock, token)).toBe(0);
    expect((await call.list()).body.jobs).toHaveLength(5);
  });

  test("is charged before the engine is called", async () => {
    covers("credits.deducted.before-generation");
    const balances: (number | undefined)[] = [];
    const stock = stockEngine();
    const record = async (): Promise<void> => {
      balances.push((await mock.ledger(mock.keys.live))?.balance);
    };
    const mock: Mock = createMock({
      clock: "manual",
      engine: {
        name: "recording",
        prepare: record,
        async render(request) {
          await record();
          return stock.render(request);
        },
      },
    });
    expect((await finished(mock, caller(mock))).status).toBe("succeeded");
    expect(balances).toEqual([992, 992]);
    await finished(mock, caller(mock), { prompt: "mock:model_rejected" });
    expect(balances, "no image is rendered").toEqual([992, 992, 984]);
  });

  test("is paid with credits that were bought long ago", async () => {
    covers("credits.bought-beforehand");
    const mock = createMock({ clock: "manual" });
    const call = caller(mock, mock.keys.empty);
    expect((await call.submit()).status).toBe(402);
    await call.purchase({ pack_slug: "demo", shared_payment_granted_token: "spt_1" });
    await mock.clock.advance("3650d");
    expect(await balance(mock, mock.keys.empty)).toBe(100);
    expect((await call.submit()).body).toMatchObject({ credits_remaining: 92 });
  });

  test("is in the ledger with cause, job and time", async () => {
    const mock = createMock({ clock: "manual" });
    const { body } = await caller(mock).submit();
    expect((await mock.ledger(mock.keys.live))?.entries.at(-1)).toMatchObject({
      credits: -8,
      cause: "tryon",
      jobId: body.job_id,
      at: mock.clock.now(),
    });
    expect(await mock.ledger("svc_live_nobody")).toBeUndefined();
  });
});

describe("the credits of a failed job", () => {
  test.each([
    ["none", "content_blocked", 992],
    ["none", "model_rejected", 992],
    ["failed", "content_blocked", 1_000],
    ["failed", "storage_failed", 1_000],
    ["failed-except-content-blocked", "content_blocked", 992],
    ["failed-except-content-blocked", "model_rejected", 1_000],
  ] as const)("leave with refund %s after %s a balance of %i", async (refund, outcome, left) => {
    covers(
      "credits.refund.failed-job",
      "credits.refund.content-blocked",
      "credits.failed-job.cost-reported",
    );
    const { mock, call } = manualServer({ options: { refund } });
    const job = await finished(mock, call, { prompt: `mock:${outcome}` });
    expect(job).toMatchObject({ status: "failed", error_message: outcome, cost_credits: 8 });
    expect(await balance(mock, mock.keys.live)).toBe(left);
    const last = (await mock.ledger(mock.keys.live))?.entries.at(-1);
    const submitted = Date.UTC(2026, 0, 1);
    expect(last).toMatchObject({
      jobId: job.job_id,
      ...(left === 992
        ? { cause: "tryon", at: submitted }
        : { cause: "refund", at: submitted + 1_500 }),
    });
  });

  test("stay at 0 for a test key, and are charged for a job that succeeds", async () => {
    const mock = createMock({ clock: "manual", options: { refund: "failed" } });
    await finished(mock, caller(mock));
    expect(await balance(mock, mock.keys.live)).toBe(992);
    await finished(mock, caller(mock, mock.keys.test), { prompt: "mock:model_rejected" });
    expect(await balance(mock, mock.keys.test)).toBe(0);
  });
});

describe("the spending of a day", () => {
  const noon = 1.5 * limits.day;
  const today = { ...keyRecord, credits: 100, day: 1 };

  function charge(key: KeyRecord, credits: number, dailySpendCap: 100_000 | "off", at = noon) {
    const order = { credits, jobId: "job_1", at, dailySpendCap };
    return new Store().transact((tables) => chargeCredits(tables, key, order));
  }

  function refund(key: KeyRecord, job: Partial<JobRecord>) {
    return new Store().transact((tables) => {
      const refunded = refundCredits(tables, key, jobRecord("job_1", job), noon + 1);
      return { refunded, ledger: tables.ledger.all(key.id) };
    });
  }

  test("may reach the cap and not exceed it", () => {
    covers("limits.daily-spend-cap.value");
    const spent = { ...today, daySpent: 99_980 };
    const full = charge(spent, 20, 100_000);
    expect(full).toMatchObject({ credits: 80, day: 1, daySpent: 100_000 });
    expect(() => charge(full, 8, 100_000)).toThrow(
      expect.objectContaining({
        reason: "insufficient-credits",
        rule: "limits.daily-spend-cap.value",
        message: expect.stringMatching(/^Another 8 credits .* 100000 credits a day/),
      }),
    );
    expect(charge(full, 8, "off").daySpent).toBe(100_008);
  });

  test("begins again with the next day in UTC", () => {
    const spent = { ...today, daySpent: 99_999 };
    expect(() => charge(spent, 8, 100_000, 2 * limits.day - 1)).toThrow("a day (UTC)");
    expect(charge(spent, 8, 100_000, 2 * limits.day)).toMatchObject({ day: 2, daySpent: 8 });
  });

  test.each([
    ["decreases with a refund of the same day", 20, noon, 12],
    ["stays at 0 or more", 3, noon, 0],
    ["excludes a refund of the day before", 20, limits.day - 1, 20],
  ])("%s", (_title, daySpent, createdAt, left) => {
    const { refunded, ledger } = refund({ ...today, daySpent }, { createdAt });
    expect(refunded).toMatchObject({ credits: 108, daySpent: left });
    const entry = { keyId: today.id, credits: 8, cause: "refund", at: noon + 1, jobId: "job_1" };
    expect(ledger).toEqual([entry]);
  });
});

describe("a key with repeatedly blocked content", () => {
  const blocked = { prompt: "mock:content_blocked" };

  test("is suspended after suspendAfterContentBlocked jobs in a row", async () => {
    covers("content.blocked.suspension");
    const { mock, call } = manualServer({ options: { suspendAfterContentBlocked: 5 } });
    for (let time = 0; time < 4; time += 1) await finished(mock, call, blocked);
    await finished(mock, call);
    for (let time = 0; time < 4; time += 1) await finished(mock, call, blocked);
    expect((await call.submit(blocked)).status).toBe(200);
    await mock.clock.advance("2s");
    const rejected = await call.submit();
    expect(rejected.status).toBe(403);
    expect(rejected.detail).toContain("suspended");
    expect((await caller(mock, mock.keys.test).account()).status).toBe(200);
  });

  test("stays active by default", async () => {
    const { mock, call } = manualServer();
    for (let time = 0; time < 6; time += 1) await finished(mock, call, blocked);
    expect((await call.account()).status).toBe(200);
  });
});
