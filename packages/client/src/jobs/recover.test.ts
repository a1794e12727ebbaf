import { describe, expect, it, onTestFinished, vi } from "vitest";

import { isTryOnError, type OutcomeUnknownError } from "../index.ts";
import {
  respondWith,
  createService,
  cut,
  fieldsOf,
  input,
  noResponse,
  type TestService,
} from "../../test/service.ts";
import { createRawClient } from "../raw/index.ts";

const order = { ...input, metadata: { order: "17" } };

/** A submission that was made, and of which the client has heard nothing. */
async function unheard(
  { error, tryon, faults }: TestService,
  options: Parameters<typeof tryon.submit>[1] = {},
  fault: typeof cut.before | typeof cut.after = cut.after,
): Promise<OutcomeUnknownError> {
  faults.push(fault, cut.before, cut.before, cut.before);
  const unknown = await error(tryon.submit(order, options));
  if (!isTryOnError(unknown, "outcome_unknown")) throw unknown;
  return unknown;
}

describe("a try-on with its key in the metadata", () => {
  it("has its key in the metadata on the wire, and shows it nowhere", async () => {
    const { run, tryon, submissions, sent } = createService();
    const job = await run(tryon.submit(order, { keyInMetadata: true, idempotencyKey: "order-17" }));
    expect(fieldsOf(submissions()[0])["metadata"]).toEqual({
      order: "17",
      _tryon_key: "order-17",
    });
    const { job: ended } = await run(job.result());
    const resumed = tryon.jobs.resume(JSON.parse(JSON.stringify(job)));
    await run(resumed.result());
    const found = await run(tryon.jobs.get(job.id));
    const [listed] = await run(tryon.jobs.list().toArray());
    for (const known of [job, ended, resumed, found, listed]) {
      expect(known?.data.metadata).toEqual({ order: "17" });
      expect(known?.idempotencyKey).toBe("order-17");
      expect(JSON.stringify(known)).not.toContain("_tryon_key");
    }
    expect(sent.length).toBeGreaterThan(3);
  });

  it("without metadata of its own shows none", async () => {
    const { run, tryon, client } = createService();
    const { job } = await run(client({ keyInMetadata: true }).run(input));
    expect(job.data.metadata ?? null).toBeNull();
    const { data } = await run(createRawClient(tryon).GET("/api/v1/tryon"));
    expect(data?.jobs[0]?.metadata).toEqual({ _tryon_key: job.idempotencyKey });
  });

  it("gets the key if there is room, and the option of the call takes precedence", async () => {
    const { run, error, client, submissions } = createService();
    const tryon = client({ keyInMetadata: true });
    const seven = { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7 };
    await run(tryon.submit({ ...input, metadata: { ...seven, h: 8 } }));
    await run(tryon.submit({ ...input, metadata: seven }));
    await run(tryon.submit(order, { keyInMetadata: false }));
    const marked = submissions().map((sent) =>
      JSON.stringify(fieldsOf(sent)).includes("_tryon_key"),
    );
    expect(marked).toEqual([false, true, false]);
    for (const wrong of ["text", [1]]) {
      // What types forbid comes from programs without types.
      const refused = await error(tryon.submit({ ...input, metadata: wrong as never }));
      expect(refused).toMatchObject({ code: "invalid_input", issues: [{ field: "metadata" }] });
    }
  });
});

/** Each way in which a service may write its times, in places where local time is hours off on either side. */
const times = (["Z", "offset", "naive"] as const).flatMap((format) =>
  ["Asia/Tokyo", "America/New_York"].map((zone) => [format, zone] as const),
);

/** What is stubbed here is the environment of this file's own process. */
function liveIn(zone: string): void {
  vi.stubEnv("TZ", zone);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  expect(new Date().getTimezoneOffset()).not.toBe(0);
}

describe("recover, when it is too late to send a try-on again,", () => {
  it.each(times)(
    "finds it by its key on any page, with times as %s in %s, and sends and pays nothing",
    async (timeFormat, zone) => {
      liveIn(zone);
      const service = createService({ options: { idempotencyHours: 1, timeFormat } });
      const { run, tryon, mock, submissions } = service;
      const unknown = await unheard(service, { keyInMetadata: true });
      for (let count = 0; count < 25; count += 1)
        await run(tryon.submit(input, { keyInMetadata: true }));
      await mock.clock.advance("2h");
      const before = submissions().length;
      const job = await run(unknown.recover());
      expect(job).toMatchObject({ idempotencyKey: unknown.idempotencyKey, status: "succeeded" });
      expect(job.data.metadata).toEqual({ order: "17" });
      expect(submissions()).toHaveLength(before);
      expect((await mock.ledger(mock.keys.live))?.balance).toBe(1_000 - 26 * 8);
    },
  );

  it.each(times)(
    "says that no job has its key, and looks no further back than it can be, with times as %s in %s",
    async (timeFormat, zone) => {
      liveIn(zone);
      const service = createService({ options: { timeFormat } });
      const { run, error, tryon, mock, sent } = service;
      for (let count = 0; count < 25; count += 1) await run(tryon.submit(input));
      await mock.clock.advance("61m");
      const unknown = await unheard(service, { keyInMetadata: true }, cut.before);
      await mock.clock.advance("31m");
      const before = sent.length;
      expect(await error(unknown.recover())).toMatchObject({
        code: "outcome_unknown",
        message: expect.stringContaining("the list does not show a job with its key"),
        idempotencyKey: unknown.idempotencyKey,
      });
      expect(sent.slice(before).map(({ method }) => method)).toEqual(["GET"]);
    },
  );

  it("says that its key is not in the metadata, and sends nothing", async () => {
    const service = createService({ options: { idempotencyHours: 1 } });
    const unknown = await unheard(service);
    await service.mock.clock.advance("2h");
    const before = service.sent.length;
    const still = await service.error(unknown.recover());
    if (!isTryOnError(still, "outcome_unknown")) throw still;
    expect(still.message).toContain("its key is not in the metadata");
    expect(await service.error(still.recover())).toMatchObject({ code: "outcome_unknown" });
    expect(service.sent).toHaveLength(before);
  });

  it("says why the list could not be read, and can be asked again", async () => {
    const service = createService();
    const unknown = await unheard(service, { keyInMetadata: true });
    await service.mock.clock.advance("2h");
    service.faults.push(respondWith(401, { detail: "Invalid API key" }));
    const still = await service.error(unknown.recover());
    expect(still).toMatchObject({ code: "outcome_unknown", cause: { code: "unauthorized" } });
    service.faults.push(noResponse.before);
    expect(await service.error(unknown.recover({ timeout: "5s" }))).toMatchObject({
      code: "outcome_unknown",
    });
    if (!isTryOnError(still, "outcome_unknown")) throw still;
    expect((await service.run(still.recover())).status).toBe("succeeded");
  });

  it("rejects with the caller's reason", async () => {
    const service = createService();
    const unknown = await unheard(service, { keyInMetadata: true });
    await service.mock.clock.advance("2h");
    const reason = { why: "enough" };
    await expect(unknown.recover({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it("finds one whose call ran out of time before any answer", async () => {
    const { error, run, client, faults, mock } = createService({
      options: { idempotencyHours: 1 },
    });
    faults.push(noResponse.after);
    const unknown = await error(
      client({ keyInMetadata: true }).run(input, { timeout: "5s", sync: false }),
    );
    expect(unknown).toMatchObject({ code: "outcome_unknown", cause: { code: "timed_out" } });
    if (!isTryOnError(unknown, "outcome_unknown")) throw unknown;
    await mock.clock.advance("2h");
    await run(unknown.recover());
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
  });
});

describe("idempotencyWindow", () => {
  it("ends the attempts of a call, too", async () => {
    const { error, client, faults, submissions } = createService();
    faults.push(noResponse.before);
    const tryon = client({ idempotencyWindow: "20s" });
    expect(await error(tryon.submit(input))).toMatchObject({ code: "outcome_unknown" });
    expect(submissions()).toHaveLength(1);
  });

  it("counts from the first request that may have done something", async () => {
    const { run, client, faults, mock } = createService();
    const limited = respondWith(429, { detail: "slow down" }, { "retry-after": "40" });
    faults.push(limited, cut.refused, limited, cut.after);
    await run(client({ idempotencyWindow: "30s" }).submit(input));
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
  });

  it("is 30 minutes, up to which the try-on is sent again", async () => {
    const service = createService();
    const unknown = await unheard(service);
    await service.mock.clock.advance("29m");
    const before = service.submissions().length;
    await service.run(unknown.recover());
    expect(service.submissions()).toHaveLength(before + 1);
    expect((await service.mock.ledger(service.mock.keys.live))?.balance).toBe(992);
  });

  it("has to be a length of time", () => {
    const { client } = createService();
    // What types forbid comes from programs without types.
    expect(() => client({ idempotencyWindow: "soon" as never })).toThrow("idempotencyWindow");
  });
});
