import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { installedStores } from "../../test/shared-batches.ts";
import {
  continueBatch,
  continued,
  refuseFour,
  storedIn,
  submitTwo,
  type StoredData,
} from "../../test/stored.ts";

const newer = /was written by a newer release\. Nothing was changed\./;

describe.each(await installedStores())("data in %s", (store, startStore) => {
  let server: Awaited<ReturnType<typeof startStore>>;
  let stored: StoredData;
  beforeEach(async () => {
    server = await startStore();
    stored = await storedIn[store](server.url);
  }, 60_000);
  afterEach(async () => {
    await stored.close();
    await server.remove();
  }, 60_000);

  it("of an earlier release is continued, and nothing is paid again", async () => {
    expect(await continueBatch(await stored.openJournal())).toEqual(continued);
    const verdicts = await submitTwo(stored.createQuotaStore());
    expect(verdicts).toEqual([true, { retryAfter: expect.any(Number) }]);
    const refusals = await refuseFour(stored.createQuotaStore());
    expect(refusals).toEqual([200, true, true, false, true, 429]);
  });

  it("of an earlier release counts in the limit of its batch", async () => {
    const journal = await stored.openJournal();
    // Four of the five items count 8 credits each. The refused one counts none, and does not fit.
    expect(await continueBatch(journal, 39)).toMatchObject({
      error: { code: "batch_stopped" },
      submissions: 0,
      refused: ["budget_exceeded", false],
    });
    expect(await journal.total?.()).toBe(32);
    expect(await continueBatch(journal, 40)).toEqual(continued);
    expect(await journal.total?.()).toBe(40);
    // Later changes of an entry start from its credits.
    expect(await journal.get("submitted")).toMatchObject({ credits: 8 });
  });

  it("of a newer release is refused", async () => {
    await stored.openJournal();
    await stored.createQuotaStore().get("any");
    for (const of of ["journal", "quota"] as const) await stored.setVersion(of, 2);
    await expect(stored.openJournal()).rejects.toThrow(newer);
    await expect(stored.createQuotaStore().increment("any", 1)).rejects.toThrow(newer);
  });
});
