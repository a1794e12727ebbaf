import { describe, expect, it } from "vitest";

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

/** Submits a try-on whose response is lost, and returns the error. */
async function submitUnknown(
  { error, tryon, faults }: TestService,
  keyInMetadata: boolean,
): Promise<OutcomeUnknownError> {
  faults.push(cut.after, cut.before, cut.before, cut.before);
  const unknown = await error(tryon.submit(order, { keyInMetadata }));
  if (!isTryOnError(unknown, "outcome_unknown")) throw unknown;
  return unknown;
}

describe("keyInMetadata", () => {
  it("sends the key in the metadata, and removes it from every job", async () => {
    const { run, tryon, submissions, sent } = createService();
    const job = await run(tryon.submit(order, { keyInMetadata: true, idempotencyKey: "order-17" }));
    expect(fieldsOf(submissions()[0])["metadata"]).toEqual({
      order: "17",
      _tryon_key: "order-17",
    });
    const { job: ended } = await run(job.result());
    const resumed = tryon.jobs.resume(JSON.parse(JSON.stringify(job)));
    await run(resumed.result());
    const fetched = await run(tryon.jobs.get(job.id));
    const [listed] = await run(tryon.jobs.list().toArray());
    for (const known of [job, ended, resumed, fetched, listed]) {
      expect(known?.data.metadata).toEqual({ order: "17" });
      expect(known?.idempotencyKey).toBe("order-17");
      expect(JSON.stringify(known)).not.toContain("_tryon_key");
    }
    expect(sent.length).toBeGreaterThan(3);
  });

  it("leaves a job without own metadata without metadata", async () => {
    const { run, tryon, client } = createService();
    const { job } = await run(client({ keyInMetadata: true }).run(input));
    expect(job.data.metadata ?? null).toBeNull();
    const { data } = await run(createRawClient(tryon).GET("/api/v1/tryon"));
    expect(data?.jobs[0]?.metadata).toEqual({ _tryon_key: job.idempotencyKey });
  });

  it("adds the key if there is room, and the option of the call takes precedence", async () => {
    const { run, error, client, submissions } = createService();
    const tryon = client({ keyInMetadata: true });
    const seven = { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7 };
    await run(tryon.submit({ ...input, metadata: { ...seven, h: 8 } }));
    await run(tryon.submit({ ...input, metadata: seven }));
    await run(tryon.submit(order, { keyInMetadata: false }));
    const hasKey = submissions().map(({ body }) => body?.includes("_tryon_key"));
    expect(hasKey).toEqual([false, true, false]);
    for (const wrong of ["text", [1]]) {
      // Programs without types can pass any value.
      const invalid = await error(tryon.submit({ ...input, metadata: wrong as never }));
      expect(invalid).toMatchObject({ code: "invalid_input", issues: [{ field: "metadata" }] });
    }
  });
});

describe("recover after the idempotency window", () => {
  it("finds the job by its key on any page without a submission", async () => {
    const service = createService({ options: { idempotencyHours: 1 } });
    const { run, tryon, mock, submissions } = service;
    const unknown = await submitUnknown(service, true);
    for (let count = 0; count < 25; count += 1)
      await run(tryon.submit(input, { keyInMetadata: true }));
    await mock.clock.advance("2h");
    const before = submissions().length;
    const job = await run(unknown.recover());
    expect(job).toMatchObject({ idempotencyKey: unknown.idempotencyKey, status: "succeeded" });
    expect(job.data.metadata).toEqual({ order: "17" });
    expect(submissions()).toHaveLength(before);
    expect(await service.balance()).toBe(1_000 - 26 * 8);
  });

  it("sends nothing and says that the key is not in the metadata", async () => {
    const service = createService();
    const unknown = await submitUnknown(service, false);
    await service.mock.clock.advance("31m");
    const before = service.sent.length;
    const still = await service.error(unknown.recover());
    if (!isTryOnError(still, "outcome_unknown")) throw still;
    expect(still.idempotencyKey).toBe(unknown.idempotencyKey);
    expect(still.message).toContain("its key is not in the metadata");
    expect(await service.error(still.recover())).toMatchObject({ code: "outcome_unknown" });
    expect(service.sent).toHaveLength(before);
  });

  it("says why it cannot read the list, rejects with the reason of the caller, and can be repeated", async () => {
    const service = createService();
    const unknown = await submitUnknown(service, true);
    await service.mock.clock.advance("2h");
    service.faults.push(respondWith(401, { detail: "Invalid API key" }));
    const still = await service.error(unknown.recover());
    if (!isTryOnError(still, "outcome_unknown")) throw still;
    expect(still.cause).toMatchObject({ code: "unauthorized" });
    service.faults.push(noResponse.before);
    expect(await service.error(unknown.recover({ timeout: "5s" }))).toMatchObject({
      code: "outcome_unknown",
    });
    const reason = { why: "enough" };
    await expect(unknown.recover({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect((await service.run(still.recover())).status).toBe("succeeded");
  });

  it("finds the job of a call that timed out before a response", async () => {
    const { error, run, client, faults, mock, balance } = createService({
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
    expect(await balance()).toBe(992);
  });
});

describe("idempotencyWindow", () => {
  it("ends the attempts of a call", async () => {
    const { error, client, faults, submissions } = createService();
    faults.push(noResponse.before);
    const tryon = client({ idempotencyWindow: "20s" });
    expect(await error(tryon.submit(input))).toMatchObject({ code: "outcome_unknown" });
    expect(submissions()).toHaveLength(1);
  });

  it("starts with the first request that may have had an effect", async () => {
    const { run, client, faults, balance } = createService();
    const limited = respondWith(429, { detail: "slow down" }, { "retry-after": "40" });
    faults.push(limited, cut.refused, limited, cut.after);
    await run(client({ idempotencyWindow: "30s" }).submit(input));
    expect(await balance()).toBe(992);
  });

  it("is 30 minutes by default, and recover submits again in 27 of them", async () => {
    const service = createService();
    const unknown = await submitUnknown(service, false);
    await service.mock.clock.advance("26m");
    const before = service.submissions().length;
    await service.run(unknown.recover());
    expect(service.submissions()).toHaveLength(before + 1);
    expect(await service.balance()).toBe(992);
  });

  it.each([0, 5_000])(
    "makes no second job if the service keeps keys as long, with a latency of %i ms",
    async (latency) => {
      const service = createService({ options: { idempotencyHours: 0.5 } });
      const unknown = await submitUnknown(service, false);
      const first = service.submissions()[0]?.at ?? Number.NaN;
      await service.mock.clock.advance(first + 1_800_000 - latency - service.mock.clock.now());
      service.faults.push({ latency: 2 * latency });
      await service.run(unknown.recover().catch(() => undefined));
      expect(await service.balance()).toBe(992);
    },
  );
});
