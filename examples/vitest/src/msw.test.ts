import { createMock } from "@tryon/mock";
import { handlers } from "@tryon/mock/msw";
import { http, HttpResponse } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";

import type { Outcome } from "./try-on.ts";

let makeTryOn: (order: string, person: Blob, garment: Blob) => Promise<Outcome>;
const mock = createMock({ clock: "manual", latency: "70s" });
// A loopback URL, for which the client accepts the mock's live key.
const baseUrl = "http://localhost:4010";
const stock = http.get("https://shop.example/stock/shirt", () => HttpResponse.json({ left: 3 }));
const server = setupServer(...handlers(mock, { baseUrl }), stock);

beforeAll(async () => {
  vi.stubEnv("TRYON_BASE_URL", baseUrl);
  vi.stubEnv("TRYON_API_KEY", mock.keys.live);
  server.listen({ onUnhandledFrame: "error" });
  // The client of the app reads the variables once.
  vi.resetModules();
  ({ makeTryOn } = await import("./try-on.ts"));
});
afterEach(() => mock.reset());
afterAll(() => {
  server.close();
  mock.close();
  vi.unstubAllEnvs();
});

test("works behind msw, together with other handlers of the test", async () => {
  const response = await fetch("https://shop.example/stock/shirt");
  expect(await response.json()).toEqual({ left: 3 });
  const image = new Blob([Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0)]);
  const outcome = makeTryOn("order-1", image, image);
  await mock.journal.waitFor("POST /api/v1/tryon", { until: "arrived" });
  await mock.clock.advance("70s");
  expect(await outcome).toMatchObject({ state: "ready" });
  expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
});
