import { readdir } from "node:fs/promises";

import { isInstalled } from "@tryon/test-kit/installed-programs";
import { startRedis } from "@tryon/test-kit/store-servers";
import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";

const deliverTwice = `
const message = {
  id: "message-1",
  person: "https://shop.example/me.jpg",
  garment: "https://shop.example/shirt.png",
  createdAt: new Date(),
};
const before = (await tryon.account.get()).credits_remaining;
await Promise.all([handle(message), handle(message)]);
await handle(message);
await handle({ ...message, id: "../message-3" });
await handle({ ...message, id: "message-2", person: "http://shop.example/me.jpg" });
console.log(before - (await tryon.account.get()).credits_remaining);
`;

export const checks: Checks = {
  "catalog.ts": async ({ snippet, run, mock }) => {
    expect(snippet.code).toContain("openRedisJournal");
    if (!(await isInstalled("redis"))) return;
    const redis = await startRedis();
    try {
      const { token } = await mock.createKey({ credits: 100, rateLimitPerMinute: 6_000 });
      const env = { REDIS_URL: redis.url, TRYON_API_KEY: token };
      const machines = ["first.ts", "second.ts"].map((file) => run(snippet.code, { env, file }));
      const lines = (await Promise.all(machines)).join("").trim().split("\n");
      const ends = ["coat", "hat", "shirt"].flatMap((sku) => [
        `${sku} by another process`,
        `${sku} by this process`,
      ]);
      expect(lines.toSorted()).toEqual(ends);
      expect((await mock.ledger(token))?.balance).toBe(76);
    } finally {
      await redis.remove();
    }
  },
  "handle.ts": async ({ snippet, run, app }) => {
    expect(await run(`${snippet.code}${deliverTwice}`)).toBe("16\n");
    expect(await readdir(app.folder)).toEqual(
      expect.arrayContaining(["message-1.png", "..%2Fmessage-3.png"]),
    );
  },
};
