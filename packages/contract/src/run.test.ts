import { createMock } from "@tryon/mock";
import { describe, expect, test } from "vitest";

import { runSuite } from "./contract.ts";
import { must } from "./outcome.ts";
import { aCheck, aSuite } from "../test/suite.ts";

describe("the rate limit of a key", () => {
  const many = aSuite([
    aCheck("pace.many", async ({ http }) => {
      for (let count = 0; count < 40; count += 1) {
        const response = await http.account();
        must(response.status === 200, `Request ${count} got ${response.status}.`, response);
      }
    }),
  ]);

  test.each(["all", "429-only", "none"] as const)(
    "is kept beside other users of the key, with rate headers on %s",
    async (rateHeaders) => {
      const mock = createMock({ clock: "manual", options: { rateHeaders } });
      const key = await mock.createKey({ mode: "test", rateLimitPerMinute: 12 });
      const others = async (): Promise<void> => {
        for (let count = 0; count < 4; count += 1) {
          await mock.fetch(`${mock.baseUrl}/api/v1/account`, {
            headers: { authorization: `Bearer ${key.token}` },
          });
        }
      };
      await others();
      const { checks } = await runSuite(many, {
        baseUrl: mock.baseUrl,
        fetch: mock.fetch,
        apiKey: key.token,
      });
      expect(checks.filter(({ status }) => status === "failed")).toEqual([]);
      expect(checks.find(({ id }) => id === "pace.many")).toMatchObject({ status: "passed" });
      const refused = mock.journal.entries().filter(({ status }) => status === 429);
      // The kit does not know the requests of others, nor a limit that no response has named yet.
      expect(refused.length).toBeLessThanOrEqual(rateHeaders === "all" ? 1 : 5);
    },
  );
});

test("makes its own key where that of a reference server has too few credits", async () => {
  const mock = createMock({ clock: "manual" });
  const dear = aCheck(
    "money.dear",
    async ({ http }) => {
      const response = await http.submit({ output_size: "4K" });
      must(response.status === 200, `It got ${response.status}.`, response);
    },
    { on: "live", credits: 20 },
  );
  const { checks } = await runSuite(aSuite([dear]), {
    baseUrl: mock.baseUrl,
    fetch: mock.fetch,
    apiKey: mock.keys.empty,
    allowLive: true,
  });
  expect(checks.find(({ id }) => id === "money.dear")).toMatchObject({ status: "passed" });
});

test("reports a request that fails before its check awaits it", async () => {
  const mock = createMock({ clock: "manual" });
  const elsewhere = aCheck(
    "money.elsewhere",
    async ({ http }) => {
      const response = http.submit({ wait: true });
      await new Promise((resolve) => setImmediate(resolve));
      await response;
    },
    { on: "live", credits: 8 },
  );
  const { checks } = await runSuite(aSuite([elsewhere]), {
    baseUrl: mock.baseUrl,
    fetch: mock.fetch,
    maxCredits: 0,
  });
  expect(checks.find(({ id }) => id === "money.elsewhere")).toMatchObject({
    status: "not-observable",
  });
});
