import { describe, expect, it, onTestFinished, vi } from "vitest";

import { isTryOnError, type FindOptions, type RunOptions } from "../index.ts";
import { createService, cut, input } from "../../test/service.ts";

const minute = 60_000;
const hour = 60 * minute;
const idempotencyKey = "order-17";

/** A service that forgets keys after an hour. It has a job that is hours older than the first attempt. */
async function createShop() {
  const service = createService({ options: { idempotencyHours: 1, readLag: 800 } });
  const { tryon, mock, run, faults } = service;
  await run(tryon.submit(input));
  await mock.clock.advance("3h");
  const firstAttemptAt = mock.clock.now();
  const options: RunOptions = { idempotencyKey, keyInMetadata: true, sync: false, firstAttemptAt };
  return {
    ...service,
    firstAttemptAt,
    options,
    deliver: (more: RunOptions = {}) => tryon.run(input, { ...options, ...more }),
    /** Submits as a worker that is killed before the response, or before the request arrives. */
    kill: async (fault: typeof cut.before | typeof cut.after = cut.after) => {
      const client = service.client({ retries: 0 });
      faults.push(fault);
      await service.error(client.run(input, options));
    },
    search: (more: FindOptions = {}) =>
      run(tryon.jobs.findByKey(idempotencyKey, { firstAttemptAt, keyInMetadata: true, ...more })),
  };
}

describe("findByKey", () => {
  it("finds the job, also without firstAttemptAt, and on any page", async () => {
    const { kill, search, run, client, mock } = await createShop();
    await kill();
    for (let count = 0; count < 45; count += 1) await run(client().submit(input));
    await mock.clock.advance("4h");
    for (const found of [
      await search(),
      await search({ keyInMetadata: false }),
      await search({ firstAttemptAt: undefined }),
    ]) {
      expect(found).toMatchObject({ status: "found", job: { idempotencyKey } });
    }
    const { job } = await search();
    expect((await run(Promise.resolve(job?.result())))?.job.status).toBe("succeeded");
  });

  it.each(
    (["Z", "offset", "naive"] as const).flatMap((timeFormat) =>
      ["Asia/Tokyo", "America/New_York"].map((zone) => [timeFormat, zone] as const),
    ),
  )("reads no page of jobs that are too old, with %s times in %s", async (timeFormat, zone) => {
    vi.stubEnv("TZ", zone);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { tryon, run, mock, sent } = createService({ options: { timeFormat } });
    const submit = () => run(tryon.submit(input));
    for (let count = 0; count < 25; count += 1) await submit();
    await mock.clock.advance("2h");
    const options = { firstAttemptAt: mock.clock.now(), keyInMetadata: true };
    for (let count = 0; count < 20; count += 1) await submit();
    await mock.clock.advance("1h");
    const before = sent.length;
    expect(await run(tryon.jobs.findByKey("other", options))).toEqual({ status: "absent" });
    expect(sent.length - before).toBe(2);
  });

  it("is absent only if the list was read back beyond the first attempt, and no request can arrive", async () => {
    const { kill, search, mock, firstAttemptAt } = await createShop();
    await kill(cut.before);
    const retryAt = firstAttemptAt + 30 * minute + 5_000;
    await mock.clock.advance("29m");
    expect(await search()).toEqual({ status: "unknown", reason: "too_early", retryAt });
    await mock.clock.advance(retryAt - mock.clock.now());
    const time = new Date(firstAttemptAt);
    for (const at of [firstAttemptAt, time, time.toISOString()]) {
      expect(await search({ firstAttemptAt: at })).toEqual({ status: "absent" });
    }
    for (const [options, reason] of [
      [{ keyInMetadata: false }, "key_not_in_metadata"],
      [{ firstAttemptAt: undefined }, "no_first_attempt"],
    ] as const) {
      expect(await search(options)).toEqual({ status: "unknown", reason });
    }
  });

  it("is unknown if the list has no older job, such as under another API key", async () => {
    const { kill, client, mock, run, firstAttemptAt } = await createShop();
    await kill(cut.after);
    const { token } = await mock.createKey();
    const other = client({ apiKey: token });
    await run(other.submit(input));
    await mock.clock.advance("4h");
    const options = { firstAttemptAt, keyInMetadata: true };
    expect(await run(other.jobs.findByKey(idempotencyKey, options))).toEqual({
      status: "unknown",
      reason: "list_too_short",
    });
  });

  it("is unknown if the list cannot be read, and rejects when aborted", async () => {
    const { search, mock, tryon, error } = await createShop();
    await mock.clock.advance("4h");
    mock.faults.add({ on: "GET /api/v1/tryon", times: 4, status: 500 });
    expect(await search()).toMatchObject({
      status: "unknown",
      reason: "list_failed",
      error: { code: "server_error" },
    });
    expect(await search()).toEqual({ status: "absent" });
    const reason = new Error("stop");
    const signal = AbortSignal.abort(reason);
    expect(await error(tryon.jobs.findByKey("a", { signal }))).toBe(reason);
    expect(isTryOnError(await error(tryon.jobs.findByKey("a", { firstAttemptAt: "soon" })))).toBe(
      true,
    );
  });
});

describe("firstAttemptAt", () => {
  it.each([
    ["before the request arrived", cut.before],
    ["before the response", cut.after],
  ])(
    "submits again under the same key within the window, after a kill %s",
    async (_when, fault) => {
      const { kill, deliver, run, balance, submissions, mock } = await createShop();
      await kill(fault);
      await mock.clock.advance("26m");
      expect((await run(deliver())).job.status).toBe("succeeded");
      expect([await balance(), submissions().length]).toEqual([984, 3]);
    },
  );

  it("finds the job of a late redelivery, and charges nothing", async () => {
    const { kill, deliver, run, balance, submissions, mock } = await createShop();
    await kill();
    await mock.clock.advance("4h");
    const { job, image } = await run(deliver());
    expect([job.status, job.idempotencyKey]).toEqual(["succeeded", idempotencyKey]);
    expect((await run(image.bytes())).length).toBeGreaterThan(0);
    expect([await balance(), submissions().length]).toEqual([984, 2]);
  });

  it("fails a late redelivery without a job, unless the caller pays for another one", async () => {
    const { kill, deliver, error, run, balance, submissions, mock } = await createShop();
    await kill(cut.before);
    await mock.clock.advance("27m");
    expect(await error(deliver({ whenAbsent: "submit" }))).toMatchObject({
      code: "outcome_unknown",
      search: "too_early",
      retryAfter: 185,
    });
    await mock.clock.advance("4h");
    expect(await error(deliver())).toMatchObject({ code: "outcome_unknown", search: "absent" });
    expect([await balance(), submissions().length]).toEqual([992, 2]);
    const { job } = await run(deliver({ whenAbsent: "submit" }));
    expect([await balance(), submissions().length]).toEqual([984, 3]);
    expect((await run(deliver({ whenAbsent: "submit" }))).job.id).toBe(job.id);
    await mock.clock.advance("4h");
    expect((await run(deliver({ whenAbsent: "submit" }))).job.id).toBe(job.id);
    expect(await balance()).toBe(984);
  });

  it("never pays twice if workers are killed in a late redelivery that pays", async () => {
    const { options, client, error, faults, run, deliver, balance, mock } = await createShop();
    await mock.clock.advance("4h");
    const late = { ...options, whenAbsent: "submit" } as const;
    for (let count = 0; count < 3; count += 1) {
      faults.push(undefined, cut.after);
      await error(client({ retries: 0 }).run(input, late));
    }
    await run(deliver(late));
    expect(await balance()).toBe(984);
  });

  it("fails without the key in the metadata, and if the list fails, whatever whenAbsent is", async () => {
    const { deliver, error, mock, submissions } = await createShop();
    await mock.clock.advance("4h");
    expect(await error(deliver({ keyInMetadata: false, whenAbsent: "submit" }))).toMatchObject({
      search: "key_not_in_metadata",
    });
    mock.faults.add({ on: "GET /api/v1/tryon", times: 4, status: 500 });
    const unread = await error(deliver({ whenAbsent: "submit" }));
    expect(unread).toMatchObject({ search: "list_failed", cause: { code: "server_error" } });
    expect(submissions().length).toBe(1);
  });

  it("recovers the job once the list shows it", async () => {
    const { kill, deliver, error, run, mock } = await createShop();
    await kill();
    await mock.clock.advance("4h");
    mock.faults.add({ on: "GET /api/v1/tryon", times: 4, status: 500 });
    const unread = await error(deliver());
    if (!isTryOnError(unread, "outcome_unknown")) throw unread;
    expect((await run(unread.recover())).idempotencyKey).toBe(idempotencyKey);
  });

  it("sends nothing after the window, although the call goes on", async () => {
    const { deliver, error, submissions, faults, mock, client, options } = await createShop();
    await mock.clock.advance("26m");
    faults.push(cut.before, cut.before, cut.before, cut.before);
    const slow = client({ random: () => 1, retries: 20 });
    mock.faults.add({
      on: "POST /api/v1/tryon",
      times: 20,
      status: 503,
      headers: { "retry-after": "50" },
    });
    const unknown = await error(slow.run(input, options));
    expect(unknown).toMatchObject({ code: expect.stringMatching(/outcome_unknown|unavailable/) });
    const last = submissions().at(-1)?.at ?? 0;
    expect(last).toBeLessThanOrEqual(mock.clock.now());
    expect(last - Number(options.firstAttemptAt)).toBeLessThanOrEqual(27 * minute);
    expect(await error(deliver())).toMatchObject({ search: "too_early" });
  });

  it("searches if the first attempt is in the future by more than the clocks differ", async () => {
    const { deliver, error, run, firstAttemptAt } = await createShop();
    expect(await error(deliver({ firstAttemptAt: firstAttemptAt + hour }))).toMatchObject({
      search: "too_early",
    });
    await run(deliver({ firstAttemptAt: firstAttemptAt + 500 }));
  });

  it("rejects an invalid time, a missing key and an unknown choice before anything is sent", async () => {
    const { deliver, error, submissions } = await createShop();
    const wrong: Record<string, unknown>[] = [
      { firstAttemptAt: "soon" },
      { firstAttemptAt: new Date(Number.NaN) },
      { firstAttemptAt: null },
      { idempotencyKey: undefined },
      { whenAbsent: "pay" },
    ];
    for (const options of wrong) {
      expect(await error(deliver(options)), JSON.stringify(options)).toMatchObject({
        code: "invalid_input",
      });
    }
    expect(submissions().length).toBe(1);
  });
});
