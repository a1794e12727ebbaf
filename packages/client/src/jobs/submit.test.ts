import { describe, expect, it } from "vitest";

import { isTryOnError } from "../index.ts";
import { respondWith, createService, cut, fieldsOf, input } from "../../test/service.ts";

describe("submit", () => {
  it("returns a job that can be awaited, fetched, and resumed by another client", async () => {
    const { run, tryon, submissions, client } = createService();
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

  it("recovers the job that another process submits under the same key", async () => {
    const { run, error, client, balance } = createService({
      latency: "20s",
      options: { concurrentTwin: 409 },
    });
    const options = { idempotencyKey: "order-17", sync: true };
    const first = client().run(input, options);
    const conflict = await error(client().run(input, options));
    if (!isTryOnError(conflict, "idempotency_conflict")) throw conflict;
    expect(conflict).toMatchObject({ status: 409, idempotencyKey: "order-17" });
    const job = await run(conflict.recover?.() ?? Promise.reject(conflict));
    expect((await run(first)).job.id).toBe(job.id);
    expect(await balance()).toBe(992);
  });

  it.each([
    "2026-01-01T00:00:00Z",
    "2026-01-01T00:00:00+00:00",
    "2026-01-01T00:00:00",
    "2026-01-01T00:00:00.123456",
    "",
    17,
    null,
  ])(
    "keeps a time such as %j as the service sends it, and waits through a status that does not exist yet",
    async (time) => {
      const { run, tryon, faults } = createService();
      const job = await run(tryon.submit(input));
      const data = { job_id: job.id, cost_credits: 8, created_at: time, completed_at: time };
      faults.push(
        respondWith(200, { ...data, status: "upscaling", novelty: 1, completed_at: null }),
        respondWith(200, { ...data, status: "succeeded" }),
      );
      const result = await run(job.result());
      expect(result.job.data).toMatchObject({ created_at: time, completed_at: time });
      faults.push(
        respondWith(200, { jobs: [{ ...data, status: "succeeded" }], next_cursor: null }),
      );
      expect((await run(tryon.jobs.list().toArray())).map(({ id }) => id)).toEqual([job.id]);
    },
  );

  it("reports an unknown id within 15 seconds, and an invalid id at once", async () => {
    const { error, tryon, mock } = createService();
    const before = mock.clock.now();
    expect(await error(tryon.jobs.resume("job_unknown").result())).toMatchObject({
      code: "not_found",
      status: 404,
    });
    expect(mock.clock.now() - before).toBeLessThan(15_000);
    expect(await error(tryon.jobs.get("job_unknown"))).toMatchObject({ code: "not_found" });
    expect(await error(tryon.jobs.get("../account"))).toMatchObject({ code: "invalid_input" });
    expect(() => tryon.jobs.resume("job_")).toThrow("is not the id of a job");
  });

  it("rejects a response about another job when it fetches a job, polls it, or renews its URL", async () => {
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

  it.each(["", " ", "a\nb", "ü", " a", "k".repeat(201)])(
    "rejects the key %j, which no header can carry",
    async (idempotencyKey) => {
      const { error, tryon, sent } = createService();
      expect(await error(tryon.submit(input, { idempotencyKey }))).toMatchObject({
        code: "invalid_input",
        issues: [{ bound: 200 }],
      });
      expect(sent).toEqual([]);
    },
  );

  it("returns the same job for the same key and input, and a conflict for another input", async () => {
    const { error, run, tryon, mock, balance } = createService();
    const options = { idempotencyKey: "order-1" };
    const first = await run(tryon.submit(input, options));
    expect((await run(tryon.submit(input, options))).id).toBe(first.id);
    const conflict = await error(tryon.submit({ ...input, seed: 1 }, options));
    if (!isTryOnError(conflict, "idempotency_conflict")) throw conflict;
    // The first submission may still be running, so `recover` waits for it.
    const before = mock.clock.now();
    expect(await error(conflict.recover?.() ?? Promise.resolve())).toMatchObject({
      code: "idempotency_conflict",
      status: 409,
    });
    expect(mock.clock.now() - before).toBeLessThan(125_000);
    expect(await balance()).toBe(992);
  });

  it("waits up to two minutes while a 409 shows that its first attempt is running", async () => {
    const { error, run, tryon, faults, mock } = createService({ options: { replayBody: "first" } });
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
});
