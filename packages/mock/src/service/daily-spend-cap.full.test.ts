import { describe, expect, test } from "vitest";

import { stockEngine } from "../engine/stock.ts";
import { createMock } from "../mock.ts";
import type { Options } from "../options.ts";
import { caller, tryOn } from "../../test/caller.ts";

describe("the daily spend cap", () => {
  const cap = 100_000;

  async function spender(options: Partial<Options>, more: Parameters<typeof createMock>[0] = {}) {
    const mock = createMock({ clock: "manual", latency: 0, options, ...more });
    const key = await mock.createKey({ credits: 2 * cap, rateLimitPerMinute: 1_000_000 });
    const call = caller(mock, key.token);
    const body = JSON.stringify(tryOn({ output_size: "4K", prompt: "mock:never" }));
    const headers = { authorization: `Bearer ${key.token}`, "content-type": "application/json" };
    // Thousands of requests, so without the checks of `caller`.
    const spend = async (times: number): Promise<number> => {
      let rejected = 0;
      for (let index = 0; index < times; index += 1) {
        const path = `${mock.baseUrl}/api/v1/tryon`;
        const { status } = await mock.fetch(path, { method: "POST", headers, body });
        if (status !== 200) rejected += 1;
      }
      return rejected;
    };
    return { mock, call, spend, token: key.token };
  }

  test("is off by default", async () => {
    const { spend } = await spender({ dailySpendCap: "off" });
    expect(await spend(cap / 20 + 1)).toBe(0);
  });

  test("causes a 402 until the next day in UTC", async () => {
    const { mock, call, spend, token } = await spender({ dailySpendCap: cap });
    expect(await spend(cap / 20 - 1)).toBe(0);
    expect((await call.submit({ output_size: "2K", prompt: "mock:never" })).status).toBe(200);
    const overCap = await call.submit({ output_size: "2K" });
    expect(overCap.status).toBe(402);
    expect(overCap.detail).toContain("100000");
    expect((await call.submit({ output_size: "1K", prompt: "mock:never" })).status).toBe(200);
    expect((await mock.ledger(token))?.balance).toBe(cap);
    await mock.clock.advance("23h");
    expect((await call.submit()).status).toBe(402);
    await mock.clock.advance("1h");
    expect((await call.submit()).status).toBe(200);
  });

  test("excludes refunds", async () => {
    let down = false;
    const { call, spend } = await spender(
      { dailySpendCap: cap },
      {
        engine: {
          ...stockEngine(),
          prepare: async () => {
            if (down) throw new Error("down");
          },
        },
      },
    );
    expect(await spend(cap / 20 - 1)).toBe(0);
    down = true;
    expect((await call.submit({ output_size: "4K" })).status).toBe(500);
    down = false;
    expect((await call.submit({ output_size: "4K" })).status).toBe(200);
    expect((await call.submit({ output_size: "4K" })).status).toBe(402);
  });
});
