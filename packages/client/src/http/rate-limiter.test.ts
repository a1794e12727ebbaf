import { getEventListeners } from "node:events";

import type { Mock } from "@tryon/mock";
import { describe, expect, it } from "vitest";

import { isTryOnError, type Clock } from "../index.ts";
import { seededRandom } from "../../test/seeded-random.ts";
import { respondWith, createService, cut, fieldsOf, input, profiles } from "../../test/service.ts";

const busy = { detail: "Rate limit exceeded" };

describe("a 429", () => {
  it("holds back every call of its client, and lets them in one after the other", async () => {
    let chance = 0;
    const random = (): number => (chance = (chance + 0.3) % 1);
    const { run, client, faults, sent, mock } = createService();
    const tryon = client({ random });
    const job = await run(tryon.submit(input));
    const before = sent.length;
    faults.push(respondWith(429, busy, { "retry-after": "20" }));
    const start = mock.clock.now();
    const first = tryon.account.get();
    await mock.clock.advance(1);
    await run(Promise.all([first, tryon.account.get(), tryon.jobs.list().page(), job.result()]));
    const times = sent.slice(before + 1).map(({ at }) => at - start);
    for (const time of times) expect(time).toBeGreaterThanOrEqual(20_000);
    expect(Math.max(...times)).toBeLessThan(25_000);
    expect(new Set(times.slice(0, 3)).size).toBe(3);
  });

  it("holds back no call of another client", async () => {
    const { run, tryon, client, faults, sent } = createService();
    faults.push(respondWith(429, busy, { "retry-after": "20" }));
    await run(Promise.all([tryon.account.get(), client().account.get()]));
    expect(sent[1]?.at).toBe(sent[0]?.at);
  });

  it("uses up no retries of its call or of waiting calls", async () => {
    const { run, client, faults, sent } = createService();
    const tryon = client({ retries: 0 });
    faults.push(...Array.from({ length: 5 }, () => respondWith(429, busy, { "retry-after": "3" })));
    await run(Promise.all([tryon.account.get(), tryon.account.get()]));
    expect(sent).toHaveLength(7);
  });

  it.each([
    ["seconds", () => ({ "retry-after": "12" })],
    ["a date", (now: number) => ({ "retry-after": new Date(now + 12_000).toUTCString() })],
    [
      "a date of a clock that is an hour ahead",
      (now: number) => ({
        date: new Date(now + 3_600_000).toUTCString(),
        "retry-after": new Date(now + 3_612_000).toUTCString(),
      }),
    ],
    ["a reset in seconds from now", () => ({ "x-ratelimit-reset": "12" })],
    [
      "a reset in seconds since 1970",
      (now: number) => ({ "x-ratelimit-reset": String(now / 1_000 + 12) }),
    ],
    [
      "a reset of a clock that is an hour behind",
      (now: number) => ({
        date: new Date(now - 3_600_000).toUTCString(),
        "x-ratelimit-reset": String(now / 1_000 - 3_588),
      }),
    ],
  ])("is waited out as %s says", async (_form, headers) => {
    const { run, tryon, faults, sent, mock } = createService();
    faults.push(respondWith(429, busy, headers(mock.clock.now())));
    await run(tryon.account.get());
    expect(sent.map(({ at }) => at - (sent[0]?.at ?? 0))).toEqual([0, 12_500]);
  });

  it("without a requested delay is retried with growing delays", async () => {
    const { run, tryon, faults, sent } = createService();
    faults.push(...Array.from({ length: 3 }, () => respondWith(429, busy)));
    await run(tryon.account.get());
    expect(sent.map(({ at }) => at - (sent[0]?.at ?? 0))).toEqual([0, 750, 1_750, 3_250]);
  });

  it("for longer than a minute ends its own call and those that come, which are not sent", async () => {
    const { error, run, tryon, faults, sent, mock } = createService();
    faults.push(respondWith(429, busy, { "retry-after": "90" }));
    expect(await error(tryon.account.get())).toMatchObject({
      code: "rate_limited",
      retryAfter: 90,
      attempts: { length: 1 },
    });
    await mock.clock.advance("20s");
    const refused = await error(tryon.submit(input));
    if (!isTryOnError(refused, "rate_limited")) throw refused;
    expect(refused.retryAfter).toBeCloseTo(70, 0);
    expect(refused.attempts).toEqual([]);
    expect(refused.message).toContain("was not sent");
    expect(sent).toHaveLength(1);
    await mock.clock.advance("30s");
    await run(tryon.account.get());
  });

  it("for longer than a call has ends that call at once", async () => {
    const { error, run, tryon, faults, mock } = createService();
    faults.push(respondWith(429, busy, { "retry-after": "30" }));
    const first = tryon.account.get();
    await mock.clock.advance(1);
    const before = mock.clock.now();
    expect(await error(tryon.account.get({ timeout: "20s" }))).toMatchObject({
      code: "rate_limited",
    });
    expect(mock.clock.now() - before).toBeLessThan(1_000);
    await run(first);
  });

  it("that comes while a submission that may have arrived is asked for again leaves its outcome unknown", async () => {
    const { error, tryon, client, faults, mock } = createService();
    faults.push(cut.after, respondWith(429, busy, { "retry-after": "600" }));
    const own = client({ random: () => 1 });
    const work = own.submit(input);
    work.catch(() => undefined);
    await mock.clock.advance(1);
    const other = own.account.get().catch((thrown: unknown) => thrown);
    await mock.clock.advance(1);
    expect(isTryOnError(await other, "rate_limited")).toBe(true);
    const failed = await error(work);
    if (!isTryOnError(failed, "outcome_unknown")) throw failed;
    expect(failed.cause).toMatchObject({ code: "rate_limited" });
    expect(failed.attempts).toHaveLength(1);
    expect((await tryon.account.get()).total_calls).toBe(2);
  });

  it("for longer than a key is safe to repeat keeps back a submission that may have arrived", async () => {
    const { error, client, faults, mock, submissions } = createService();
    const tryon = client({ idempotencyWindow: "20s" });
    faults.push(cut.after, respondWith(429, busy, { "retry-after": "30" }));
    const work = tryon.submit(input);
    work.catch(() => undefined);
    await mock.clock.advance(1);
    const other = tryon.account.get();
    const failed = await error(work);
    await other;
    if (!isTryOnError(failed, "outcome_unknown")) throw failed;
    expect(failed.cause).toMatchObject({ code: "rate_limited" });
    expect(submissions()).toHaveLength(1);
  });

  it("lets go of a call that is aborted meanwhile, at once and with its reason", async () => {
    const { tryon, faults, mock, sent } = createService();
    faults.push(respondWith(429, busy, { "retry-after": "30" }));
    const controller = new AbortController();
    const { signal } = controller;
    const first = tryon.account.get({ signal });
    await mock.clock.advance(1);
    const calls = [first, tryon.submit(input, { signal }), tryon.jobs.list({ signal }).page()];
    await mock.clock.advance(1);
    const reason = { enough: true };
    controller.abort(reason);
    const ends = await Promise.allSettled<unknown>(calls);
    for (const end of ends) expect(end).toEqual({ status: "rejected", reason });
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(sent).toHaveLength(1);
  });

  it("holds back no image", async () => {
    const { run, tryon, faults, mock, sent } = createService();
    const result = await run(tryon.run(input));
    faults.push(respondWith(429, busy, { "retry-after": "30" }));
    const held = tryon.account.get();
    await mock.clock.advance(1);
    const before = mock.clock.now();
    await run(result.image.bytes());
    expect(sent.at(-1)?.at).toBe(before);
    await run(held);
  });
});

describe.each(["all", "429-only", "none"] as const)("with the headers %s", (rateHeaders) => {
  it("the only client of a key gets no 429 after it has the limit", async () => {
    const { run, client, mock, sent, fetch } = createService({ options: { rateHeaders } });
    const { token } = await mock.createKey({ rateLimitPerMinute: 10, credits: 5_000 });
    const statuses = new Set<number>();
    const tryon = client({
      apiKey: token,
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        statuses.add(response.status);
        return response;
      },
    });
    await run(mock.clock.advance("47s"));
    await run(tryon.account.get());
    const options = { timeout: "1h" } as const;
    const calls = [
      ...Array.from({ length: 40 }, () => tryon.submit(input, options)),
      ...Array.from({ length: 7 }, () => tryon.jobs.list(options).page()),
    ];
    // In one move, which takes less time than many.
    await mock.clock.advance("10m");
    await Promise.all<unknown>(calls);
    expect(statuses).toEqual(new Set([200]));
    // 48 at 10 a minute take four minutes, and a little more where the service does not say when its minutes begin.
    expect((sent.at(-1)?.at ?? 0) - (sent[0]?.at ?? 0)).toBeLessThan(5 * 60_000);
  });

  it("no crowd of submissions keeps what reads waiting for long, nor the reverse", async () => {
    const { run, client, mock, sent } = createService({ options: { rateHeaders } });
    const { token } = await mock.createKey({ rateLimitPerMinute: 10, credits: 5_000 });
    const tryon = client({ apiKey: token, timeout: "1h" });
    await run(tryon.account.get());
    const read = (): Promise<unknown> => tryon.jobs.list({ timeout: "1h" }).page();
    const submit = (): Promise<unknown> => tryon.submit(input);
    for (const [many, one, method] of [
      [submit, read, "GET"],
      [read, submit, "POST"],
      [submit, read, "GET"],
    ] as const) {
      const before = sent.length;
      const crowd = Array.from({ length: 25 }, many);
      await mock.clock.advance(1);
      const start = mock.clock.now();
      const other = one();
      await mock.clock.advance("10m");
      await Promise.all([...crowd, other]);
      const { at = Number.NaN } =
        sent.slice(before).find((request) => request.method === method) ?? {};
      expect(at - start).toBeLessThan(65_000);
    }
  });
});

describe("the line before the gate", () => {
  it("lets calls in by their order", async () => {
    const { run, client, mock, sent } = createService();
    const { token } = await mock.createKey({ rateLimitPerMinute: 5, credits: 5_000 });
    const tryon = client({ apiKey: token, random: seededRandom(9), timeout: "1h" });
    await run(tryon.account.get());
    const seeds = Array.from({ length: 20 }, (_none, seed) => seed);
    const calls = seeds.map((seed) => tryon.submit({ ...input, seed }));
    await mock.clock.advance("10m");
    await Promise.all(calls);
    expect(sent.slice(1).map((request) => fieldsOf(request)["seed"])).toEqual(seeds);
  });

  it("refuses a request at once if it would miss its deadline", async () => {
    const { run, error, client, mock } = createService();
    const { token } = await mock.createKey({ rateLimitPerMinute: 5, credits: 5_000 });
    const tryon = client({ apiKey: token, timeout: "1h" });
    await run(tryon.account.get());
    const crowd = Array.from({ length: 20 }, () => tryon.submit(input));
    await mock.clock.advance(1);
    const before = mock.clock.now();
    expect(await error(tryon.submit(input, { timeout: "2m" }))).toMatchObject({
      code: "rate_limited",
      attempts: [],
    });
    expect(mock.clock.now() - before).toBeLessThan(1_000);
    await mock.clock.advance("10m");
    await Promise.all(crowd);
  });

  it("keeps no aborted request, and no timer when its queues are empty", async () => {
    const { run, client, mock } = createService();
    const { token } = await mock.createKey({ rateLimitPerMinute: 2, credits: 5_000 });
    const tryon = client({ apiKey: token, timeout: "1h" });
    await run(tryon.account.get());
    await run(tryon.account.get());
    const pending = mock.clock.pending;
    const controller = new AbortController();
    const { signal } = controller;
    const calls = Array.from({ length: 50 }, (_none, index) =>
      index % 2 ? tryon.submit(input, { signal }) : tryon.account.get({ signal, timeout: "1h" }),
    );
    await mock.clock.advance("1s");
    expect(mock.clock.pending).toBeGreaterThan(pending);
    controller.abort("enough");
    const ends = await Promise.allSettled<unknown>(calls);
    expect(new Set(ends.map((end) => end.status === "rejected" && end.reason))).toEqual(
      new Set(["enough"]),
    );
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(mock.clock.pending).toBe(pending);
  });

  it("counts what others used, also when an earlier response arrives later", async () => {
    const { run, client, mock, faults } = createService({ options: { rateHeaders: "all" } });
    const { token } = await mock.createKey({ rateLimitPerMinute: 10, credits: 5_000 });
    const [tryon, other] = [client({ apiKey: token }), client({ apiKey: token })];
    faults.push(async (_request, pass) => {
      const response = await pass();
      await new Promise<void>((resolve) => mock.clock.setTimeout(resolve, 2_000));
      return response;
    });
    const slow = tryon.account.get();
    await mock.clock.advance(1);
    for (let count = 0; count < 3; count += 1) await run(other.account.get());
    await run(tryon.account.get());
    expect(tryon.rateLimit).toMatchObject({ remaining: 5 });
    await run(slow);
    expect(tryon.rateLimit).toMatchObject({ remaining: 5 });
  });

  it("counts what is under way in what is left", async () => {
    const { run, client, mock } = createService({ options: { rateHeaders: "all" } });
    const { token } = await mock.createKey({ rateLimitPerMinute: 10, credits: 5_000 });
    const tryon = client({ apiKey: token });
    await run(tryon.account.get());
    expect(tryon.rateLimit).toMatchObject({ limit: 10, remaining: 9 });
    const held = [1, 2, 3].map(() => tryon.run(input));
    expect(tryon.rateLimit).toMatchObject({ limit: 10, remaining: 9 });
    await mock.clock.advance(1);
    expect(tryon.rateLimit).toMatchObject({ limit: 10, remaining: 6, source: "headers" });
    await run(Promise.all(held));
    expect(tryon.rateLimit).toMatchObject({ limit: 10, remaining: 6, source: "headers" });
  });
});

describe.each(profiles)("under the profile %s", (profile) => {
  it("many calls over the limit of the key all come through", async () => {
    const { run, client, mock, sent } = createService({ profile });
    const { token } = await mock.createKey({ rateLimitPerMinute: 5 });
    const tryon = client({ apiKey: token, timeout: "1h" });
    const calls = Array.from({ length: 17 }, () => tryon.jobs.list({ timeout: "1h" }).page());
    await run(Promise.all(calls));
    expect(sent.length).toBeLessThan(60);
  });
});

type Timer = Parameters<Mock["clock"]["clearTimeout"]>[0];

/** The clock of the reference server, and how it is set back. */
function movable({ clock }: Mock): { readonly clock: Clock; readonly setBack: () => void } {
  let back = 0;
  return {
    setBack: () => (back = 3_600_000),
    clock: {
      now: () => clock.now() - back,
      setTimeout: (callback, delay) => clock.setTimeout(callback, delay),
      // `Clock` has no type for timers: they come from the line above.
      clearTimeout: (timer) => clock.clearTimeout(timer as Timer),
    },
  };
}

describe("a clock that is set back by an hour", () => {
  it.each(["all", "none"] as const)(
    "does not close the gate until it has come there again, with X-RateLimit on: %s",
    async (rateHeaders) => {
      const { run, client, mock, sent } = createService({ options: { rateHeaders } });
      const { token } = await mock.createKey({ rateLimitPerMinute: 60 });
      const { clock, setBack } = movable(mock);
      const tryon = client({ apiKey: token, clock });
      for (let count = 0; count < 40; count += 1) {
        await run(tryon.account.get());
        await mock.clock.advance(250);
      }
      setBack();
      for (let count = 0; count < 90; count += 1) {
        await run(tryon.account.get({ timeout: "20s" }));
        await mock.clock.advance("2s");
      }
      // The own count is dropped, so that the service may respond with 429.
      expect(sent.length).toBeLessThan(133);
    },
  );

  it("releases waiting requests", async () => {
    const { run, client, mock, faults, sent } = createService();
    const { clock, setBack } = movable(mock);
    const tryon = client({ clock });
    faults.push(respondWith(429, busy, { "retry-after": "20" }));
    const work = tryon.account.get();
    await mock.clock.advance("5s");
    setBack();
    await run(Promise.all([work, tryon.account.get({ timeout: "40s" })]));
    expect(sent).toHaveLength(3);
  });
});
