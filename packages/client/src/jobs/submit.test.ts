import { describe, expect, it } from "vitest";

import { isTryOnError } from "../index.ts";
import {
  respondWith,
  respondAfter,
  createService,
  cut,
  fieldsOf,
  input,
  profiles,
} from "../../test/service.ts";

describe.each(profiles)("submit under the profile %s", (profile) => {
  it("gives a job that can be awaited, looked at and taken up again elsewhere", async () => {
    const { run, tryon, submissions, client } = createService({ profile });
    const job = await run(tryon.submit({ ...input, wait: true }));
    expect(fieldsOf(submissions()[0])).toMatchObject({ wait: false });
    expect(job.id).toMatch(/^job_[a-zA-Z0-9]+$/);
    expect("then" in job).toBe(false);
    const saved = JSON.stringify(job);
    expect(saved).not.toContain("result_url");
    const resumed = client().jobs.resume(JSON.parse(saved));
    const result = await run(resumed.result());
    expect(result.receipt).toMatchObject({
      jobId: job.id,
      idempotencyKey: job.idempotencyKey,
      credits: 8,
    });
    expect(await run(client().jobs.resume(job.id).result())).toMatchObject({
      job: { status: "succeeded" },
    });
    expect(await run(tryon.jobs.get(job.id))).toMatchObject({ id: job.id, status: "succeeded" });
  });

  it("shows every step to a loop, and ends it with the job", async () => {
    const { run, tryon } = createService({ profile, latency: "5s" });
    const job = await run(tryon.submit({ ...input, prompt: "mock:storage_failed" }));
    const seen: string[] = [];
    await run(
      (async () => {
        for await (const { status } of job) seen.push(status);
      })(),
    );
    expect(seen[0]).toBe("running");
    expect(seen.at(-1)).toBe("failed");
  });

  it("waits out that a fresh job is not shown yet", async () => {
    const { run, error, tryon } = createService({ profile, options: { readLag: 800 } });
    const job = await run(tryon.submit(input));
    expect(await error(tryon.jobs.get(job.id))).toMatchObject({ code: "not_found" });
    expect(await run(tryon.jobs.resume(job.id).result())).toMatchObject({ job: { id: job.id } });
  });

  it("leads to the job of another process that submits under the same key", async () => {
    const { run, error, client, mock } = createService({
      profile,
      latency: "20s",
      options: { concurrentTwin: 409 },
    });
    const own = { idempotencyKey: "order-17", sync: true };
    const first = client().run(input, own);
    const refused = await error(client().run(input, own));
    if (!isTryOnError(refused, "idempotency_conflict")) throw refused;
    expect(refused).toMatchObject({ status: 409, idempotencyKey: "order-17" });
    const job = await run(refused.recover?.() ?? Promise.reject(refused));
    expect((await run(first)).job.id).toBe(job.id);
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
  });
});

describe("submit", () => {
  it("goes on waiting through a state that does not exist yet", async () => {
    const { run, tryon, faults } = createService();
    const job = await run(tryon.submit(input));
    faults.push(
      respondWith(200, { job_id: job.id, status: "upscaling", cost_credits: 8, novelty: 1 }),
    );
    expect((await run(job.result())).job.status).toBe("succeeded");
  });

  it("looks first when the first may have ended, then more often, and less and less if it takes long", async () => {
    const { run, tryon, sent } = createService({ latency: "60s" });
    await run(tryon.run(input, { sync: false }));
    const times = sent.map(({ at }) => at);
    const pauses = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(pauses[0]).toBeGreaterThan(5_000);
    expect(pauses[0]).toBeLessThan(8_000);
    expect(Math.min(...pauses)).toBeGreaterThan(1_500);
    expect(pauses.at(-1)).toBeGreaterThan(3_000);
    expect(sent.length).toBeLessThan(30);
  });

  it("tells an unknown job from a fresh one", async () => {
    const { error, tryon, mock } = createService();
    const before = mock.clock.now();
    expect(await error(tryon.jobs.resume("job_nobody").result())).toMatchObject({
      code: "not_found",
      status: 404,
    });
    expect(mock.clock.now() - before).toBeLessThan(15_000);
    expect(await error(tryon.jobs.get("job_nobody"))).toMatchObject({ code: "not_found" });
    expect(await error(tryon.jobs.get("../account"))).toMatchObject({ code: "invalid_input" });
    expect(() => tryon.jobs.resume("job_")).toThrow("is not the id of a job");
  });

  it("rejects a response about another job, wherever a job is read by its id", async () => {
    const { run, error, tryon, faults, mock, sent } = createService();
    const result_url = "https://elsewhere.example/b.png";
    const other = respondWith(200, { job_id: "job_b", status: "succeeded", result_url });
    faults.push(other);
    expect(await error(tryon.jobs.get("job_a"))).toMatchObject({
      code: "unexpected_response",
      message: expect.stringContaining("GET /api/v1/tryon/job_a"),
    });
    const job = await run(tryon.submit(input));
    faults.push(other);
    const before = sent.length;
    const { image } = await run(job.result());
    const [first, second] = sent.slice(before).map(({ at }) => at);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(1_000);
    expect(job.data.job_id).toBe(job.id);
    expect(await run(image.url())).toContain("/results/");
    await mock.clock.advance("25h");
    faults.push(other);
    expect(await error(image.url())).toMatchObject({ code: "unexpected_response" });
    expect(job.data.job_id).toBe(job.id);
  });

  it("refuses keys that no header can carry", async () => {
    const { error, tryon, sent } = createService();
    for (const idempotencyKey of ["", " ", "a\nb", "ü", " a", "k".repeat(201)]) {
      expect(await error(tryon.submit(input, { idempotencyKey }))).toMatchObject({
        code: "invalid_input",
        issues: [{ bound: 200 }],
      });
    }
    expect(sent).toEqual([]);
  });

  it("gives the same job for the same key and input, and a conflict for another input", async () => {
    const { error, run, tryon, mock } = createService();
    const first = await run(tryon.submit(input, { idempotencyKey: "order-1" }));
    const second = await run(tryon.submit(input, { idempotencyKey: "order-1" }));
    expect(second.id).toBe(first.id);
    const conflict = await error(
      tryon.submit({ ...input, seed: 1 }, { idempotencyKey: "order-1" }),
    );
    if (!isTryOnError(conflict, "idempotency_conflict")) throw conflict;
    // It may be one that is still being worked on, which is waited out.
    const before = mock.clock.now();
    expect(await error(conflict.recover?.() ?? Promise.resolve())).toMatchObject({
      code: "idempotency_conflict",
      status: 409,
    });
    expect(mock.clock.now() - before).toBeLessThan(125_000);
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
  });
});

describe("a submission whose fate is not known", () => {
  it("is outcome_unknown after cuts to the end, and recover gives the job that was made", async () => {
    const { error, run, tryon, faults, mock, submissions } = createService();
    faults.push(cut.after, cut.before, cut.before, cut.before);
    const unknown = await error(tryon.submit(input));
    if (!isTryOnError(unknown, "outcome_unknown")) throw unknown;
    expect(unknown.cause).toMatchObject({ code: "connection_failed" });
    expect(unknown.attempts).toHaveLength(4);
    expect(unknown.idempotencyKey).toBe(submissions()[0]?.headers.get("idempotency-key"));
    const job = await run(unknown.recover());
    expect(job.idempotencyKey).toBe(unknown.idempotencyKey);
    expect(new Set(submissions().map(({ body }) => body)).size).toBe(1);
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
  });

  it.each([400, 401, 402, 403, 404, 422])("does not believe a %i after a cut", async (status) => {
    const { error, tryon, faults } = createService();
    faults.push(cut.after, respondWith(status, { detail: "no" }));
    expect(await error(tryon.submit(input))).toMatchObject({ code: "outcome_unknown", status });
  });

  it("believes a 402 when every attempt before was refused in the service's own words", async () => {
    const { error, tryon, faults } = createService();
    faults.push(
      respondWith(429, { detail: "slow down" }, { "retry-after": "1" }),
      cut.refused,
      respondWith(402, { detail: "no credits" }),
    );
    expect(await error(tryon.submit(input))).toMatchObject({ code: "insufficient_credits" });
  });

  it("does not take a page of a proxy for the service's word", async () => {
    const { error, tryon, faults } = createService();
    faults.push(respondAfter(403, "<html>Forbidden by the firewall</html>"));
    expect(await error(tryon.submit(input))).toMatchObject({
      code: "outcome_unknown",
      cause: { code: "forbidden" },
    });
  });

  it("is server_error with the key and recover when every attempt ended in one", async () => {
    const { error, run, tryon, faults, mock } = createService();
    faults.push(...Array.from({ length: 4 }, () => respondAfter(502, "<h1>Bad gateway</h1>")));
    const failed = await error(tryon.submit(input));
    if (!isTryOnError(failed, "server_error")) throw failed;
    expect(failed).toMatchObject({ status: 502, idempotencyKey: expect.any(String) });
    expect(failed.message).toContain("Bad gateway");
    expect((await run(failed.recover?.() ?? Promise.reject(failed))).status).toBe("running");
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
  });

  it("waits out a 409 of its own first attempt, up to two minutes", async () => {
    const { error, run, tryon, faults, mock } = createService();
    const conflict = respondWith(409, { detail: "still being worked on" });
    faults.push(cut.after, conflict, conflict, conflict, conflict, conflict);
    const job = await run(tryon.submit(input));
    expect(job.status).toBe("running");
    faults.push(cut.after, ...Array.from({ length: 100 }, () => conflict));
    const before = mock.clock.now();
    expect(await error(tryon.submit(input))).toMatchObject({
      code: "outcome_unknown",
      cause: { code: "idempotency_conflict" },
    });
    expect(mock.clock.now() - before).toBeGreaterThan(100_000);
    expect(mock.clock.now() - before).toBeLessThan(125_000);
  });

  it("is connection_failed when no attempt can have arrived", async () => {
    const { error, tryon, faults } = createService();
    faults.push(cut.refused, cut.refused, cut.refused, cut.refused);
    expect(await error(tryon.submit(input))).toMatchObject({
      code: "connection_failed",
      attempts: { length: 4 },
    });
  });

  it("is sent again by nobody once the service may have forgotten the key", async () => {
    const { error, tryon, faults, mock, submissions } = createService();
    faults.push(cut.after, cut.before, cut.before, cut.before);
    const unknown = await error(tryon.submit(input));
    if (!isTryOnError(unknown, "outcome_unknown")) throw unknown;
    await mock.clock.advance("31m");
    const before = submissions().length;
    expect(await error(unknown.recover())).toMatchObject({
      code: "outcome_unknown",
      idempotencyKey: unknown.idempotencyKey,
    });
    expect(submissions()).toHaveLength(before);
  });

  it("is outcome_unknown when the time is up while it is on its way", async () => {
    const { error, tryon, faults } = createService();
    faults.push(() => new Promise(() => undefined));
    expect(await error(tryon.submit(input, { timeout: "5s" }))).toMatchObject({
      code: "outcome_unknown",
      cause: { code: "timed_out" },
    });
  });

  it("asks again when the answer was cut off or is of another shape", async () => {
    const { run, tryon, faults, mock } = createService();
    faults.push(respondAfter(200, '{"job_id": "job_'));
    expect((await run(tryon.submit(input))).status).toBe("running");
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
  });
});
