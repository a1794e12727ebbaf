import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { AddressInfo, Server } from "node:net";

import { TryOn } from "@tryon/client";
import { useMock } from "@tryon/mock/vitest";
import { assetPath } from "@tryon/test-kit/repository";
import { afterAll, beforeAll, expect, it, vi } from "vitest";

const ada = "session=7f3a";
const bob = "session=c21e";

/** Larger than what frameworks read of a body unless told otherwise, which is 1 MiB at most. */
const photo = new Blob([await readFile(assetPath("person.jpg")), new Uint8Array(1_500_000)]);
const input = { person: photo, garments: ["https://shop.example/shirt.png"] } as const;

/**
 * Tests a shop's server as pages and the service meet it: over HTTP, with the reference server behind it.
 *
 * @param start - Imports the server, which listens where the environment says.
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

  /** The client as it is in a page, whose browser sends the cookies of the shop. */
  const page = (cookie?: string): TryOn =>
    new TryOn({
      proxyUrl: `${shop}/api/tryon`,
      random: () => 0,
      middleware(request, next) {
        if (cookie !== undefined) request.headers.set("cookie", cookie);
        return next(request);
      },
    });
  const looksOf = async (cookie: string): Promise<unknown> =>
    (await fetch(`${shop}/looks`, { headers: { cookie } })).json();
  const balance = async (): Promise<unknown> => (await mock.ledger(mock.keys.live))?.balance;

  const delivered = async () => (await mock.webhooks.deliveries()).at(-1);

  /** The latest event of the service, once it has been answered. */
  async function latestEvent() {
    await expect.poll(async () => (await delivered())?.state).not.toBe("pending");
    const { id = "none", attempts = [] } = (await delivered()) ?? {};
    return { id, answers: attempts.map(({ status }) => status) };
  }

  it("creates an image, charged once despite a cut connection, and lists it for its visitor", async () => {
    const before = Number(await balance());
    const told = vi.spyOn(console, "error").mockImplementation(() => undefined);
    mock.faults.add({ on: "POST /api/v1/tryon", times: 1, reset: "after" });
    const { image, receipt } = await page(ada).run(input);
    const picture = await image.bytes();
    expect(receipt.attempts).toHaveLength(2);
    expect(told.mock.calls.join()).toContain("The service sent no response");
    told.mockRestore();
    expect(await balance()).toBe(before - 8);
    expect((await latestEvent()).answers).toEqual([204]);
    const looks = await looksOf(ada);
    const shown = await fetch(String(Array.isArray(looks) && looks.at(-1)));
    expect(Buffer.from(await shown.arrayBuffer()).equals(picture)).toBe(true);
  });

  it("refuses an event that is forged, and handles one that comes twice once", async () => {
    await page(ada).run(input);
    const { id } = await latestEvent();
    const calls = mock.journal.entries().length;
    const [looks, forged, second] = [
      await looksOf(ada),
      await mock.webhooks.tamper(id),
      await mock.webhooks.duplicate(id),
    ];
    expect(forged.attempts.map(({ status }) => status)).toEqual([400]);
    expect(second.attempts.map(({ status }) => status)).toEqual([204]);
    // The handler reads the user of the job from the service.
    expect(mock.journal.entries()).toHaveLength(calls);
    expect(await looksOf(ada)).toEqual(looks);
  });

  it("shows each visitor only their results, and rejects requests without a session", async () => {
    const { id } = await page(ada).submit(input);
    await latestEvent();
    await expect(page(bob).jobs.get(id)).rejects.toMatchObject({ code: "not_found" });
    expect(await looksOf(bob)).toEqual([]);
    const before = await balance();
    await expect(page().run(input)).rejects.toMatchObject({ code: "unauthorized" });
    expect((await fetch(`${shop}/looks`)).status).toBe(401);
    expect(await balance()).toBe(before);
  });

  it("shows no look of a try-on that failed", async () => {
    const looks = await looksOf(ada);
    const blocked = page(ada).run({ ...input, prompt: "mock:content_blocked" });
    await expect(blocked).rejects.toMatchObject({ code: "job_failed", isContentBlocked: true });
    expect((await latestEvent()).answers).toEqual([204]);
    expect(await looksOf(ada)).toEqual(looks);
  });

  it("parses the bodies of other routes", async () => {
    const answer = await fetch(`${shop}/cart`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"sku":"shirt"}',
    });
    expect([answer.status, await answer.json()]).toEqual([201, { added: "shirt" }]);
  });
}
