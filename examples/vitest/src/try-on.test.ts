import { useMock } from "@tryon/mock/vitest";
import { expect, test } from "vitest";

import { makeTryOn } from "./try-on.ts";

const mock = useMock({ clock: "manual", latency: "70s", unawaitedJobs: "error" });

const jpeg = new Blob([Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0)]);
const png = new Blob([
  Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
  new Uint8Array(8),
]);
const balance = async () => (await mock.ledger(mock.keys.live))?.balance;
const tryOnNow = (order: string) => mock.clock.runUntil(makeTryOn(order, jpeg, png));

test("a try-on of 70 seconds ends at once, and costs 8 credits", async () => {
  const { state, ...more } = await tryOnNow("order-1");
  expect(state).toBe("ready");
  expect(await balance()).toBe(992);
  const image = await fetch("url" in more ? more.url : "");
  expect(image.headers.get("content-type")).toBe("image/png");
});

test("blocked content is refused, not an error", async () => {
  mock.nextJob({ outcome: "content_blocked" });
  expect(await tryOnNow("order-2")).toEqual({ state: "refused" });
});

test("an empty account closes the fitting room", async () => {
  mock.faults.add({ on: "POST /api/v1/tryon", status: 402 });
  expect(await tryOnNow("order-3")).toEqual({ state: "closed" });
});

test("a rate limit of 20 seconds delays no test", async () => {
  mock.faults.add({ on: "POST /api/v1/tryon", times: 1, status: 429, retryAfter: 20 });
  expect(await tryOnNow("order-4")).toMatchObject({ state: "ready" });
});

test("a lost response and a second call for the same order are charged once", async () => {
  mock.faults.add({ on: "POST /api/v1/tryon", times: 1, reset: "after" });
  const first = await tryOnNow("order-5");
  expect(await tryOnNow("order-5")).toEqual(first);
  expect(mock.journal.entries({ method: "POST" })).toHaveLength(3);
  expect(await balance()).toBe(992);
});
