import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { AddressInfo, Server } from "node:net";

import { TryOn } from "@tryon/client";
import { useMock } from "@tryon/mock/vitest";
import { assetPath } from "@tryon/test-kit/repository";
import { afterAll, beforeAll, expect, it, vi } from "vitest";

const ada = "session=7f3a";
const bob = "session=c21e";

/** Larger than the default body limits of the frameworks, which are at most 1 MiB. */
const photo = new Blob([await readFile(assetPath("person.jpg")), new Uint8Array(1_500_000)]);
const input = { person: photo, garments: ["https://shop.example/shirt.png"] } as const;

/**
 * Tests a shop's server over HTTP, with requests of pages and of the reference server.
 *
 * @param start - Imports the server, which reads its port from the environment.
 */
export function behavesAsShop(start: () => Promise<{ readonly server: Server }>): void {
  const mock = useMock();
  let server: Server;
  let shop: string;

  beforeAll(async () => {
    vi.stubEnv("PORT", "0");
    ({ server } = await start());
    if (!server.listening) await once(server, "listening");
    // A server that listens on a port has an `AddressInfo`.
    const { port } = server.address() as AddressInfo;
    shop = `http://localhost:${port}`;
    vi.stubEnv("TRYON_WEBHOOK_URL", `${shop}/webhooks/tryon`);
  }, 60_000);
  afterAll(async () => {
    server.close();
    await once(server, "close");
    vi.unstubAllEnvs();
  });

  /** Creates the client of a page whose browser sends a cookie of the shop. */
  const page = (cookie?: string): TryOn =>
    new TryOn({
      proxyUrl: `${shop}/api/tryon`,
      random: () => 0,
      middleware(request, next) {
        if (cookie !== undefined) request.headers.set("cookie", cookie);
        return next(request);
      },
    });
  const resultsOf = async (cookie: string): Promise<unknown> =>
    (await fetch(`${shop}/results`, { headers: { cookie } })).json();
  const balance = async (): Promise<unknown> => (await mock.ledger(mock.keys.live))?.balance;

  const delivered = async () => (await mock.webhooks.deliveries()).at(-1);

  /** The latest event of the service, once it has a response. */
  async function latestEvent() {
    await expect.poll(async () => (await delivered())?.state).not.toBe("pending");
    const { id = "none", attempts = [] } = (await delivered()) ?? {};
    return { id, statuses: attempts.map(({ status }) => status) };
  }

  it("creates an image, charges once after a lost response, and lists the image for its visitor", async () => {
    const before = Number(await balance());
    const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
    mock.faults.add({ on: "POST /api/v1/tryon", times: 1, reset: "after" });
    const { image, receipt } = await page(ada).run(input);
    const bytes = await image.bytes();
    expect(receipt.attempts).toHaveLength(2);
    expect(logged.mock.calls.join()).toContain("The service sent no response");
    logged.mockRestore();
    expect(await balance()).toBe(before - 8);
    expect((await latestEvent()).statuses).toEqual([204]);
    const results = await resultsOf(ada);
    const shown = await fetch(String(Array.isArray(results) && results.at(-1)));
    expect(Buffer.from(await shown.arrayBuffer()).equals(bytes)).toBe(true);
  });

  it("rejects a forged event, and handles a duplicate event once", async () => {
    await page(ada).run(input);
    const { id } = await latestEvent();
    const calls = mock.journal.entries().length;
    const [results, forged, second] = [
      await resultsOf(ada),
      await mock.webhooks.tamper(id),
      await mock.webhooks.duplicate(id),
    ];
    expect(forged.attempts.map(({ status }) => status)).toEqual([400]);
    expect(second.attempts.map(({ status }) => status)).toEqual([204]);
    // The handler reads the user of the job from the service.
    expect(mock.journal.entries()).toHaveLength(calls);
    expect(await resultsOf(ada)).toEqual(results);
  });

  it("shows each visitor only their results, and rejects requests without a session", async () => {
    const { id } = await page(ada).submit(input);
    await latestEvent();
    await expect(page(bob).jobs.get(id)).rejects.toMatchObject({ code: "not_found" });
    expect(await resultsOf(bob)).toEqual([]);
    const before = await balance();
    await expect(page().run(input)).rejects.toMatchObject({ code: "unauthorized" });
    expect((await fetch(`${shop}/results`)).status).toBe(401);
    expect(await balance()).toBe(before);
  });

  it("lists no result for a failed try-on", async () => {
    const results = await resultsOf(ada);
    const blocked = page(ada).run({ ...input, prompt: "mock:content_blocked" });
    await expect(blocked).rejects.toMatchObject({ code: "job_failed", isContentBlocked: true });
    expect((await latestEvent()).statuses).toEqual([204]);
    expect(await resultsOf(ada)).toEqual(results);
  });

  it("parses the bodies of other routes", async () => {
    const response = await fetch(`${shop}/cart`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"sku":"shirt"}',
    });
    expect([response.status, await response.json()]).toEqual([201, { added: "shirt" }]);
  });
}
