import { isInstalled } from "@tryon/test-kit/installed-programs";
import { startPostgres, startRedis, startSqlite } from "@tryon/test-kit/store-servers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import {
  continueBatch,
  continued,
  storedIn,
  submitTwo,
  type StoredData,
} from "../../test/stored.ts";

const servers = { redis: startRedis, postgres: startPostgres, sqlite: startSqlite } as const;
const newer = /was written by a newer release\. Nothing was changed\./;

for (const store of ["redis", "postgres", "sqlite"] as const) {
  describe.runIf(store === "sqlite" || (await isInstalled(store)))(`data in ${store}`, () => {
    let server: Awaited<ReturnType<(typeof servers)[typeof store]>>;
    let stored: StoredData;
    beforeAll(async () => {
      server = await servers[store]();
      stored = await storedIn[store](server.url);
    }, 60_000);
    afterAll(async () => {
      await stored.close();
      await server.remove();
    }, 60_000);

    it("of an earlier release is continued, and nothing is paid again", async () => {
      expect(await continueBatch(await stored.openJournal())).toEqual(continued);
      const verdicts = await submitTwo(stored.createQuotaStore());
      expect(verdicts).toEqual([true, { retryAfter: expect.any(Number) }]);
    });

    it("of a newer release is refused", async () => {
      await stored.openJournal();
      await stored.createQuotaStore().get("any");
      for (const of of ["journal", "quota"] as const) {
        await stored.setVersion(of, 2);
        onTestFinished(async () => void (await stored.setVersion(of, 1)));
      }
      await expect(stored.openJournal()).rejects.toThrow(newer);
      await expect(stored.createQuotaStore().increment("any", 1)).rejects.toThrow(newer);
    });
  });
}
