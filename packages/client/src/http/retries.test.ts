import { describe, expect, it } from "vitest";

import {
  respondWith,
  createService,
  cut,
  input,
  noResponse,
  shiftedClock,
  stalledBody,
  type TestService,
} from "../../test/service.ts";

const busy = { detail: "busy" };

describe("a call that fails with a transient error", () => {
  it("is retried three times with growing delays, and then fails", async () => {
    const { error, tryon, faults, times } = createService();
    // An invalid Retry-After counts as none.
    faults.push(
      ...Array.from({ length: 9 }, () => respondWith(503, busy, { "retry-after": "-5" })),
    );
    const failed = await error(tryon.account.get());
    expect(failed).toMatchObject({ code: "unavailable", status: 503, attempts: { length: 4 } });
    expect(times()).toEqual([0, 250, 750, 1_750]);
    expect("recover" in Object(failed)).toBe(false);
  });

  it("is not retried before the time of Retry-After", async () => {
    const { run, tryon, faults, times } = createService();
    faults.push(respondWith(503, busy, { "retry-after": "7" }));
    await run(tryon.account.get());
    expect(times()).toEqual([0, 7_000]);
  });

  it.each([
    { status: 503, retryAfter: 61, code: "unavailable" },
    { status: 400, retryAfter: 1, code: "bad_request" },
    { status: 429, retryAfter: 30, timeout: "20s", code: "rate_limited" },
  ] as const)(
    "fails at once after a $status with Retry-After $retryAfter and the timeout $timeout",
    async ({ status, retryAfter, timeout, code }) => {
      const { error, tryon, faults, mock } = createService();
      const before = mock.clock.now();
      faults.push(respondWith(status, busy, { "retry-after": String(retryAfter) }));
      const expected = { code, retryAfter, attempts: { length: 1 } };
      expect(await error(tryon.account.get({ timeout }))).toMatchObject(expected);
      expect(mock.clock.now() - before).toBeLessThan(1_000);
    },
  );

  it.each([
    [undefined, [0, 30_250, 60_750]],
    ["10s", [0, 10_250, 20_750]],
  ] as const)(
    "has the full attemptTimeout for each attempt with its body: %s",
    async (attemptTimeout, times) => {
      const { run, client, faults, times: sentTimes } = createService();
      faults.push(noResponse.before, stalledBody);
      await run(client({ attemptTimeout }).account.get());
      expect(sentTimes()).toEqual(times);
    },
  );
});

it.each(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"])(
  "retries a POST after %s of Node under the same key, as a timeout",
  async (code) => {
    const { run, error, tryon, faults, submissions, keys, balance } = createService();
    const timeOut = async (): Promise<Response> => {
      const cause = Object.assign(new Error("Headers Timeout Error"), { code });
      throw new TypeError("fetch failed", { cause });
    };
    faults.push(async (_request, pass) => {
      await pass();
      return timeOut();
    });
    await run(tryon.submit(input));
    expect(submissions()).toHaveLength(2);
    expect(keys().size).toBe(1);
    expect(await balance()).toBe(992);
    faults.push(timeOut, timeOut, timeOut, timeOut);
    expect(await error(tryon.submit(input))).toMatchObject({
      code: "outcome_unknown",
      cause: { code: "timed_out" },
      attempts: Array.from({ length: 4 }, () => ({ failure: "timed_out" })),
    });
  },
);

const unavailable = respondWith(503, busy, { "retry-after": "4" });
const timeout = "10s";

it.each<[string, (service: TestService) => Promise<unknown>, string]>([
  [
    "reading an image of the input",
    ({ tryon }) => tryon.run({ ...input, person: new ReadableStream() }, { timeout }),
    "timed_out",
  ],
  [
    "one attempt",
    ({ tryon, faults }) => {
      faults.push(noResponse.before);
      return tryon.account.get({ timeout });
    },
    "timed_out",
  ],
  [
    "all attempts and the delays between them",
    ({ tryon, faults }) => {
      faults.push(unavailable, unavailable, unavailable, unavailable);
      return tryon.run(input, { timeout });
    },
    "unavailable",
  ],
  [
    "attempts and the wait for the job",
    ({ tryon, faults }) => {
      faults.push(unavailable);
      return tryon.run(input, { timeout, sync: false });
    },
    "wait_timed_out",
  ],
  [
    "attempts of which the last has no response",
    ({ tryon, faults }) => {
      faults.push(unavailable, noResponse.before);
      return tryon.run(input, { timeout });
    },
    "outcome_unknown",
  ],
  [
    "attempts at an image and its download",
    async ({ tryon, faults }) => {
      const result_url = "https://store.example/a.png";
      const job = { job_id: "job_1", status: "succeeded", result_url };
      faults.push(respondWith(200, job), unavailable, stalledBody);
      return (await tryon.run(input)).image.bytes({ timeout });
    },
    "timed_out",
  ],
])("ends a call with its timeout, which includes %s", async (_what, call, code) => {
  const service = createService({ latency: "60s" });
  const start = service.mock.clock.now();
  expect(await service.error(call(service))).toMatchObject({ code });
  expect(service.mock.clock.now() - start).toBeLessThanOrEqual(10_250);
  const { length } = service.sent;
  await service.mock.clock.advance("5m");
  expect(service.sent).toHaveLength(length);
  expect(service.mock.clock.pending).toBe(0);
});

it("does not send a submission again if the machine was asleep until its key may be forgotten", async () => {
  const { error, client, mock, faults, submissions } = createService();
  const { shifted, shift } = shiftedClock(mock.clock);
  const tryon = client({ timeout: "5h", clock: shifted });
  faults.push(cut.after);
  const work = tryon.submit(input);
  await mock.clock.advance(100);
  shift(2 * 3_600_000);
  expect(await error(work)).toMatchObject({ code: "outcome_unknown" });
  expect(submissions()).toHaveLength(1);
});
