import { createMock } from "@tryon/mock";
import { expect, test } from "vitest";

import { runSuite } from "../contract.ts";
import { must } from "../outcome.ts";
import { aCheck, aSuite } from "../../test/suite.ts";

test("webhooks arrive at random paths", async () => {
  const mock = createMock({ clock: "manual" });
  const urls: URL[] = [];
  const statuses: number[] = [];
  const hooks = aCheck("sample.hooks", async ({ http }) => {
    const opened = [http.openHook(), http.openHook()];
    urls.push(...opened.map(({ url }) => new URL(url)));
    for (const { url } of opened) await fetch(url, { method: "POST", body: "{}" });
    for (const path of ["/hook-1", "/hook-2", "/", `${urls[0]?.pathname}x`]) {
      const { status } = await fetch(new URL(path, urls[0]), { method: "POST", body: "{}" });
      statuses.push(status);
    }
    must(
      opened.every(({ deliveries }) => deliveries.length === 1),
      "A hook has another delivery than its own.",
    );
  });
  const { checks } = await runSuite(aSuite([hooks]), { baseUrl: mock.baseUrl, fetch: mock.fetch });
  expect(checks.filter(({ status }) => status === "failed")).toEqual([]);
  expect(statuses).toEqual([404, 404, 404, 404]);
  // 128 random bits in base64url.
  for (const { pathname } of urls) expect(pathname).toMatch(/^\/[\w-]{22}$/);
  expect(new Set(urls.map(String)).size).toBe(2);
});
