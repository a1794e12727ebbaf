import { createMock } from "@tryon/mock";
import { describe, expect, test } from "vitest";

import { runSuite } from "./contract.ts";
import { must } from "./outcome.ts";
import { aCheck, aSuite } from "../test/suite.ts";

describe("the rate limit of a key", () => {
  const many = aSuite([
    aCheck("pace.many", async (session) => {
      for (let call = 0; call < 40; call += 1) {
        const answer = await session.account();
        must(answer.status === 200, `Call ${call} was answered ${answer.status}.`, answer);
      }
    }),
  ]);

  test.each(["all", "429-only", "none"] as const)(
    "is kept, and what others use of it is waited out, with rate headers on %s",
    async (rateHeaders) => {
      const mock = createMock({ clock: "manual", options: { rateHeaders } });
      const key = await mock.createKey({ mode: "test", rateLimitPerMinute: 12 });
      const others = async (): Promise<void> => {
        for (let call = 0; call < 4; call += 1) {
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
      // Only what the kit could not know of is refused: the calls of others, and a limit that no answer has named yet.
      expect(refused.length).toBeLessThanOrEqual(rateHeaders === "all" ? 1 : 5);
    },
  );
});

test("a key of a reference server that has too few credits for the run is left alone", async () => {
  const mock = createMock({ clock: "manual" });
  const dear = aCheck(
    "money.dear",
    async (session) => {
      const answer = await session.submit({ output_size: "4K" });
      must(answer.status === 200, `It was answered ${answer.status}.`, answer);
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

test("a call that is refused while its check looks elsewhere is that check's alone", async () => {
  const mock = createMock({ clock: "manual" });
  const elsewhere = aCheck(
    "money.elsewhere",
    async (session) => {
      const call = session.submit({ wait: true });
      await new Promise((resolve) => setImmediate(resolve));
      await call;
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
