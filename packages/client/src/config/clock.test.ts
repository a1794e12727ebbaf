import { describe, expect, it } from "vitest";

import {
  collect,
  createService,
  cut,
  failure,
  input,
  machineClock,
  noResponse,
  respondWith,
  shiftedClock,
} from "../../test/service.ts";
import { Budget, type Clock, type OutcomeUnknownError } from "../index.ts";
import { clientClock } from "./clock.ts";

const minute = 60_000;
const hour = 60 * minute;

type Machine = ReturnType<typeof machineClock>;

/** Changes of a machine's date during a call. */
const changes: readonly (readonly [string, (machine: Machine) => Promise<void>])[] = [
  ["is set back", async ({ setDate }) => setDate(-hour)],
  ["is set forward", async ({ setDate }) => setDate(hour)],
  ["goes on while the machine sleeps", ({ sleep }) => sleep(hour)],
];

function createMachine(options: Parameters<typeof createService>[0] = {}) {
  const service = createService({ latency: "20s", ...options });
  const machine = machineClock(service.mock.clock);
  const clock = machine.machine;
  const start = Number(clock.monotonic?.());
  return {
    ...service,
    ...machine,
    tryon: service.client({ clock }),
    client: (own: Parameters<typeof service.client>[0]) => service.client({ clock, ...own }),
    /** Returns the time since the start without sleep. */
    elapsed: () => Number(clock.monotonic?.()) - start,
  };
}

describe.each(changes)("if the date %s", (_how, change) => {
  it("a timeout ends after its time", async () => {
    const service = createMachine();
    service.faults.push(noResponse.before);
    const tryon = service.client({ attemptTimeout: "1s", retries: 0 });
    const call = failure(tryon.account.get({ timeout: "2s" }));
    await service.mock.clock.advance(200);
    await change(service);
    expect(await service.run(call)).toMatchObject({ code: "timed_out" });
    expect(service.elapsed()).toBe(1_000);
  });

  it("a call waits for Retry-After", async () => {
    const service = createMachine({ latency: 0 });
    service.faults.push(respondWith(429, { detail: "Slow." }, { "retry-after": "5" }));
    const call = service.tryon.submit(input);
    await service.mock.clock.advance(200);
    await change(service);
    await service.run(call);
    expect([service.elapsed() >= 5_000, service.elapsed() < 6_500]).toEqual([true, true]);
  });

  it("a wait polls as often as before, and ends soon after its job", async () => {
    const service = createMachine();
    const call = service.tryon.run(input, { sync: false });
    await service.mock.clock.advance(10_000);
    await change(service);
    await service.run(call);
    expect(service.sent.length).toBeLessThan(12);
    expect(service.elapsed()).toBeLessThan(25_000);
  });

  it("updates end with their timeout", async () => {
    const service = createMachine({ latency: "2h" });
    const job = await service.run(service.tryon.submit(input));
    const updates = async () => {
      await collect(job.updates({ timeout: "1m" }));
    };
    const call = failure(updates());
    await service.mock.clock.advance(10_000);
    await change(service);
    expect(await service.run(call)).toMatchObject({ code: "wait_timed_out" });
    expect(service.elapsed()).toBeLessThanOrEqual(minute + 100);
  });

  it("tryon.rateLimit names the same time until the reset", async () => {
    const service = createMachine();
    await service.run(service.tryon.account.get());
    const left = () => (service.tryon.rateLimit?.resetAt ?? 0) - service.machine.now();
    const before = left();
    await change(service);
    expect(left()).toBe(before);
  });
});

/** Times after which a submission must not be sent again. */
const waits: readonly (readonly [
  string,
  (machine: ReturnType<typeof createMachine>) => unknown,
])[] = [
  ["28 minutes", ({ mock }) => mock.clock.advance("28m")],
  ["28 minutes of sleep", ({ sleep }) => sleep(28 * minute)],
  ["a date that was set forward by 28 minutes", ({ setDate }) => setDate(28 * minute)],
  [
    "28 minutes on a date that was set back",
    ({ mock, setDate }) => {
      setDate(-hour);
      return mock.clock.advance("28m");
    },
  ],
];

it.each(waits)("recover() searches instead of sending again after %s", async (_what, wait) => {
  const service = createMachine();
  service.faults.push(cut.after);
  const tryon = service.client({ retries: 0, keyInMetadata: true });
  // `outcome_unknown` has `recover`.
  const error = (await service.error(tryon.submit(input))) as OutcomeUnknownError;
  await wait(service);
  // Reads may not show a new job yet.
  await service.mock.clock.advance("1s");
  const job = await service.run(error.recover());
  expect([job.idempotencyKey, service.submissions().length]).toEqual([error.idempotencyKey, 1]);
});

it.each(waits.slice(1, 3))("a call sends nothing again after %s", async (_what, wait) => {
  const service = createMachine();
  // The first response is lost, and the second one allows the next attempt after a minute.
  service.faults.push(cut.after, respondWith(429, { detail: "Slow." }, { "retry-after": "59" }));
  const call = failure(service.client({ timeout: "5h" }).submit(input));
  await service.mock.clock.advance("10s");
  expect(service.submissions()).toHaveLength(2);
  await wait(service);
  expect(await service.run(call)).toMatchObject({ code: "outcome_unknown" });
  expect(service.submissions()).toHaveLength(2);
});

it("a call with an own key sends nothing after its timeout, although the machine slept", async () => {
  const service = createMachine();
  service.faults.push(respondWith(429, { detail: "Slow." }, { "retry-after": "20" }));
  const call = failure(service.tryon.submit(input, { idempotencyKey: "order-17", timeout: "1m" }));
  await service.mock.clock.advance("10s");
  await service.sleep(minute);
  expect(await service.run(call)).toMatchObject({ code: "rate_limited" });
  expect(service.submissions()).toHaveLength(1);
});

it.each(waits)("a budget counts a second job under a key after %s", async (_what, wait) => {
  const service = createMachine();
  const budget = new Budget({ maxCredits: 100 });
  const tryon = service.client({ retries: 0 });
  const options = { budget, idempotencyKey: "order-17" };
  service.faults.push(respondWith(200, { limit: 60 }), cut.after, cut.after);
  await service.error(tryon.submit(input, options));
  expect(budget.reserved).toBe(8);
  await wait(service);
  await service.error(tryon.submit(input, options));
  expect(budget.reserved).toBe(16);
});

it.each([
  ["22 hours of sleep and one more", ({ sleep }: Machine) => sleep(23 * hour)],
  ["23 hours on a date that was set back", ({ setDate }: Machine) => setDate(-hour)],
])("a signed URL is replaced after %s", async (_what, wait) => {
  const service = createMachine();
  const { image } = await service.run(service.tryon.run(input));
  const before = service.sent.length;
  await wait(service);
  await service.mock.clock.advance("23h");
  await service.run(image.url());
  expect(service.sent.length).toBe(before + 1);
});

it("a clock that only has a date ends a timeout after twice its time at most", async () => {
  const service = createService({ latency: "20s" });
  const { shifted, shift } = shiftedClock(service.mock.clock);
  service.faults.push(noResponse.before);
  const tryon = service.client({ clock: shifted, attemptTimeout: "1s", retries: 0 });
  const start = service.mock.clock.now();
  const call = failure(tryon.account.get());
  await service.mock.clock.advance(200);
  shift(-hour);
  expect(await service.run(call)).toMatchObject({ code: "timed_out" });
  expect(service.mock.clock.now() - start).toBeLessThanOrEqual(2_000);
});

it("a timer may have any delay, and no timer of the platform is longer than 2³¹ − 1 ms", async () => {
  const day = 24 * hour;
  const service = createService();
  const delays: number[] = [];
  const { clock } = service.mock;
  const recorded: Clock = {
    ...shiftedClock(clock).shifted,
    setTimeout: (callback, delay) => {
      delays.push(delay);
      return clock.setTimeout(callback, delay);
    },
  };
  const tryon = service.client({ clock: recorded });
  const steady = clientClock(tryon.clock);
  let fired = 0;
  const timers = [60, 60].map((days) => steady.setTimeout(() => (fired += 1), days * day));
  await clock.advance(59 * day);
  steady.clearTimeout(timers[1]);
  expect(fired).toBe(0);
  await clock.advance(day);
  expect([fired, clock.pending]).toEqual([1, 0]);
  expect(Math.max(...delays)).toBe(2 ** 31 - 1);
  const call = tryon.account.get({ timeout: "90d" });
  await service.run(call);
  steady.setTimeout(() => undefined, -5);
  expect([Math.max(...delays), Math.min(...delays)]).toEqual([2 ** 31 - 1, 0]);
});
