import { describe, expect, test } from "vitest";

import { stockEngine } from "../engine/stock.ts";
import { createMock } from "../mock.ts";
import type { Options } from "../options.ts";
import { caller, tryOn } from "../../test/caller.ts";
import { covers } from "../../test/covers.ts";

describe("the cap of a day", () => {
  const cap = 100_000;

  async function spender(options: Partial<Options>, more: Parameters<typeof createMock>[0] = {}) {
    const mock = createMock({ clock: "manual", latency: 0, options, ...more });
    const key = await mock.createKey({ credits: 2 * cap, rateLimitPerMinute: 1_000_000 });
    const call = caller(mock, key.token);
    const body = JSON.stringify(tryOn({ output_size: "4K", prompt: "mock:never" }));
    const headers = { authorization: `Bearer ${key.token}`, "content-type": "application/json" };
    // Thousands of calls, so without the checks that the caller makes.
    const spend = async (times: number): Promise<number> => {
      let refused = 0;
      for (let index = 0; index < times; index += 1) {
        const path = `${mock.baseUrl}/api/v1/tryon`;
        const { status } = await mock.fetch(path, { method: "POST", headers, body });
        if (status !== 200) refused += 1;
      }
      return refused;
    };
    return { mock, call, spend, token: key.token };
  }

  test("is none by default", async () => {
    covers("limits.daily-spend-cap.value");
    const { spend } = await spender({ dailySpendCap: "off" });
    expect(await spend(cap / 20 + 1)).toBe(0);
  });

  test("refuses with 402 what goes over it, until the next day in UTC", async () => {
    covers("limits.daily-spend-cap.value");
    const { mock, call, spend, token } = await spender({ dailySpendCap: cap });
    expect(await spend(cap / 20 - 1)).toBe(0);
    expect((await call.submit({ output_size: "2K", prompt: "mock:never" })).status).toBe(200);
    const refused = await call.submit({ output_size: "2K" });
    expect(refused.status).toBe(402);
    expect(refused.detail).toContain("100000");
    expect((await call.submit({ output_size: "1K", prompt: "mock:never" })).status).toBe(200);
    expect((await mock.ledger(token))?.balance).toBe(cap);
    await mock.clock.advance("23h");
    expect((await call.submit()).status).toBe(402);
    await mock.clock.advance("1h");
    expect((await call.submit()).status).toBe(200);
  });

  test("counts what is given back as not spent", async () => {
    covers("limits.daily-spend-cap.value");
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
