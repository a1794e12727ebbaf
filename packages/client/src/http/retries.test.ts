import { describe, expect, it } from "vitest";

import { isTryOnError } from "../index.ts";
import {
  respondWith,
  createService,
  cut,
  input,
  profiles,
  noResponse,
  type TestService,
} from "../../test/service.ts";

describe("a call that fails in a way that may pass", () => {
  it("is sent three more times, and then throws with every attempt", async () => {
    const { error, tryon, faults, sent } = createService();
    faults.push(...Array.from({ length: 9 }, () => respondWith(503, { detail: "busy" })));
    const failed = await error(tryon.account.get());
    expect(failed).toMatchObject({ code: "unavailable", status: 503, attempts: { length: 4 } });
    expect(sent.map(({ at }) => at - (sent[0]?.at ?? 0))).toEqual([0, 250, 750, 1_750]);
    expect("recover" in Object(failed)).toBe(false);
  });

  it("is sent as often as `retries` says", async () => {
    const { error, client, faults, sent } = createService();
    faults.push(cut.before, cut.before);
    expect(await error(client({ retries: 1 }).account.get())).toMatchObject({
      code: "connection_failed",
    });
    expect(sent).toHaveLength(2);
  });

  it("never comes back earlier than Retry-After says", async () => {
    const { run, tryon, faults, sent, mock } = createService();
    const date = new Date(mock.clock.now() + 20_000).toUTCString();
    faults.push(
      respondWith(503, { detail: "busy" }, { "retry-after": "7" }),
      respondWith(503, { detail: "busy" }, { "retry-after": date }),
    );
    await run(tryon.account.get());
    expect(sent.map(({ at }) => at - (sent[0]?.at ?? 0))).toEqual([0, 7_000, 20_000]);
  });

  it.each(["NaN", "soon", "-5", "", "1e3", "Thu, 99 Foo 2026"])(
    "pauses as ever after a Retry-After of %j",
    async (text) => {
      const { error, tryon, faults, sent } = createService();
      const headers = { "retry-after": text };
      faults.push(
        ...Array.from({ length: 4 }, () => respondWith(503, { detail: "busy" }, headers)),
      );
      expect(await error(tryon.account.get())).toMatchObject({ code: "unavailable" });
      expect(sent.map(({ at }) => at - (sent[0]?.at ?? 0))).toEqual([0, 250, 750, 1_750]);
    },
  );

  it("throws at once when it is to wait longer than a minute, or than there is time", async () => {
    const { error, tryon, faults, mock } = createService();
    const before = mock.clock.now();
    faults.push(respondWith(503, { detail: "busy" }, { "retry-after": "61" }));
    expect(await error(tryon.account.get())).toMatchObject({ code: "unavailable", retryAfter: 61 });
    faults.push(respondWith(429, { detail: "busy" }, { "retry-after": "30" }));
    expect(await error(tryon.account.get({ timeout: "20s" }))).toMatchObject({
      code: "rate_limited",
      retryAfter: 30,
    });
    expect(mock.clock.now() - before).toBeLessThan(1_000);
  });

  it.each([400, 401, 402, 403, 404, 409, 410, 413, 422])(
    "is not sent again after a %i",
    async (status) => {
      const { error, tryon, faults, sent } = createService();
      faults.push(respondWith(status, { detail: "no" }));
      expect(await error(tryon.account.get())).toMatchObject({ status });
      expect(sent).toHaveLength(1);
    },
  );

  it("lessons 4 and 5: times each attempt out on its own, body included", async () => {
    const { run, tryon, faults, sent } = createService();
    faults.push(
      () => new Promise(() => undefined),
      async () =>
        new Response(
          new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array([123])) }),
        ),
    );
    await run(tryon.account.get());
    expect(sent.map(({ at }) => at - (sent[0]?.at ?? 0))).toEqual([0, 30_250, 60_750]);
  });

  it("ends with its time, not after it", async () => {
    const { error, tryon, faults, mock } = createService();
    faults.push(() => new Promise(() => undefined));
    const before = mock.clock.now();
    expect(await error(tryon.account.get({ timeout: "10s" }))).toMatchObject({ code: "timed_out" });
    expect(mock.clock.now() - before).toBeLessThan(10_500);
  });
});

describe("one time limit", () => {
  const busy = respondWith(503, { detail: "busy" }, { "retry-after": "4" });
  it.each<[string, (service: TestService) => Promise<unknown>, string]>([
    [
      "the reading of an image",
      ({ tryon }) => tryon.run({ ...input, person: new ReadableStream() }, { timeout: "10s" }),
      "timed_out",
    ],
    [
      "all attempts and the pauses between them",
      ({ tryon, faults }) => {
        faults.push(busy, busy, busy, busy);
        return tryon.run(input, { timeout: "10s" });
      },
      "unavailable",
    ],
    [
      "attempts and then the wait",
      ({ tryon, faults }) => {
        faults.push(busy);
        return tryon.run(input, { timeout: "10s", sync: false });
      },
      "wait_timed_out",
    ],
    [
      "attempts and then an answer that does not come",
      ({ tryon, faults }) => {
        faults.push(busy, noResponse.before);
        return tryon.run(input, { timeout: "10s" });
      },
      "outcome_unknown",
    ],
  ])("spans %s", async (_what, call, code) => {
    const service = createService({ latency: "60s" });
    const start = service.mock.clock.now();
    expect(await service.error(call(service))).toMatchObject({ code });
    expect(service.mock.clock.now() - start).toBeLessThanOrEqual(10_250);
    const { length } = service.sent;
    await service.mock.clock.advance("5m");
    expect(service.sent).toHaveLength(length);
  });

  it("spans the attempts at an image and its coming", async () => {
    const { run, error, tryon, faults, mock } = createService();
    const { image } = await run(tryon.run(input));
    faults.push(busy, async () => new Response(new ReadableStream()));
    const start = mock.clock.now();
    expect(await error(image.bytes({ timeout: "10s" }))).toMatchObject({ code: "timed_out" });
    expect(mock.clock.now() - start).toBeLessThanOrEqual(10_250);
    expect(mock.clock.pending).toBe(0);
  });
});

describe.each(profiles)("a rate limit under the profile %s", (profile) => {
  it("is waited out, however often, without using up the retries", async () => {
    const { run, client, mock } = createService({ profile });
    const limited = client({ apiKey: mock.keys.limited, retries: 0 });
    await run(mock.clock.advance("10s"));
    for (let count = 0; count < 12; count += 1) await run(limited.account.get());
    expect((await run(client().account.get())).total_calls).toBe(1);
  });

  it("is an error with retryAfter when there is no time for it", async () => {
    const { error, run, client, mock } = createService({ profile });
    const limited = client({ apiKey: mock.keys.limited });
    for (let count = 0; count < 5; count += 1) await run(limited.account.get());
    const refused = await error(limited.submit(input, { timeout: "5s" }));
    if (!isTryOnError(refused, "rate_limited")) throw refused;
    expect(refused.retryAfter).toBeGreaterThan(5);
  });
});
