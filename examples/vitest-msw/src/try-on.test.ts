import { createMock } from "@tryon/mock";
import { handlers } from "@tryon/mock/msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";

import { look } from "./try-on.ts";

const mock = createMock({ clock: "manual", latency: "70s" });
// A loopback URL, for which the client accepts a live key in tests.
const baseUrl = "http://localhost:4010";
const server = setupServer(...handlers(mock, { baseUrl }));

beforeAll(() => {
  vi.stubEnv("TRYON_BASE_URL", baseUrl);
  vi.stubEnv("TRYON_API_KEY", mock.keys.live);
  server.listen({ onUnhandledFrame: "error" });
});
afterEach(() => mock.reset());
afterAll(() => {
  server.close();
  mock.close();
  vi.unstubAllEnvs();
});

const jpeg = new Blob([Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0)]);
const png = new Blob([Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)]);
const submissions = () => mock.journal.entries({ method: "POST", path: "/api/v1/tryon" });
const balance = async () => (await mock.ledger(mock.keys.live))?.balance;

/** Lets 70 seconds go by, once the service has the try-on. */
async function lookLater(order: string) {
  const looking = look(order, jpeg, png);
  await mock.journal.waitFor("POST /api/v1/tryon", { until: "arrived" });
  await mock.clock.advance("70s");
  return looking;
}

test("a look that takes 70 seconds is there at once, and costs 8 credits", async () => {
  const before = mock.clock.now();
  const { state, ...more } = await lookLater("order-1");
  expect(state).toBe("ready");
  expect(mock.clock.now() - before).toBe(70_000);
  expect(await balance()).toBe(992);
  const picture = await fetch("picture" in more ? more.picture : "");
  expect(picture.headers.get("content-type")).toBe("image/png");
});

test("blocked content is not an error of the service", async () => {
  mock.nextJob({ outcome: "content_blocked" });
  expect(await lookLater("order-2")).toEqual({ state: "refused" });
});

test("an empty account closes the fitting room", async () => {
  mock.faults.add({ on: "POST /api/v1/tryon", status: 402 });
  expect(await look("order-3", jpeg, png)).toEqual({ state: "closed" });
  expect(await balance()).toBe(1_000);
});

test("a retry after a 503, and a second call for the same order, are paid once", async () => {
  mock.faults.add({ on: "POST /api/v1/tryon", times: 1, status: 503 });
  const looking = look("order-4", jpeg, png);
  await mock.journal.waitFor("POST /api/v1/tryon", { count: 2, until: "arrived" });
  await mock.clock.advance("70s");
  expect(await looking).toEqual(await look("order-4", jpeg, png));
  expect(submissions().map(({ status }) => status)).toEqual([503, 200, 200]);
  expect(await balance()).toBe(992);
});
