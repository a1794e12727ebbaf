import { describe, expect, it } from "vitest";

import { isTryOnError, type Update } from "../index.ts";
import {
  respondWith,
  assetBytes,
  createService,
  cut,
  fieldsOf,
  input,
  profiles,
} from "../../test/service.ts";

describe.each(profiles)("run under the profile %s", (profile) => {
  it("makes a try-on in one held request and gives image and receipt", async () => {
    const { run, tryon, mock, submissions, sent } = createService({ profile });
    const result = await run(
      tryon.run({
        person: assetBytes("person.jpg"),
        garments: [new Blob([assetBytes("shirt.png")])],
        size: "2k",
      }),
    );
    expect(submissions()).toHaveLength(1);
    expect(sent).toHaveLength(1);
    expect(fieldsOf(submissions()[0])).toMatchObject({ wait: true, output_size: "2K" });
    const bytes = await run(result.image.bytes());
    expect([...bytes.subarray(1, 4)]).toEqual([...new TextEncoder().encode("PNG")]);
    expect(result.receipt).toMatchObject({
      jobId: result.job.id,
      idempotencyKey: submissions()[0]?.headers.get("idempotency-key"),
      credits: 12,
      balance: 988,
    });
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(988);
  });

  it("goes on polling the same job when the service stops holding at 90 seconds", async () => {
    const { run, tryon, submissions, mock } = createService({
      profile,
      latency: "150s",
      options: { holdCut: "off" },
    });
    const phases: string[] = [];
    const result = await run(tryon.run(input, { onUpdate: ({ phase }) => phases.push(phase) }));
    expect(submissions()).toHaveLength(1);
    expect(result.job.data).toMatchObject({ status: "succeeded" });
    expect(phases[0]).toBe("sending");
    expect(phases[1]).toBe("waiting");
    expect(phases.at(-1)).toBe("succeeded");
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
  });

  it("finds the job again when a proxy cuts the held answer, and does not pay twice", async () => {
    const { run, tryon, submissions, mock } = createService({
      profile,
      latency: "50s",
      options: { holdCut: 30 },
    });
    const result = await run(tryon.run(input));
    expect(submissions().length).toBeGreaterThan(1);
    expect(new Set(submissions().map(({ headers }) => headers.get("idempotency-key"))).size).toBe(
      1,
    );
    expect(new Set(submissions().map(({ body }) => body)).size).toBe(1);
    expect(result.receipt.jobId).toBe(result.job.id);
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
    const before = submissions().length;
    await run(tryon.run(input));
    expect(fieldsOf(submissions()[before])).toMatchObject({ wait: false });
  });

  it.each([
    { after: "30s", status: 502 },
    { after: "60s", status: 504 },
    { after: "89s", status: 524 },
  ])(
    "gets the job that goes on after a proxy has cut the call off with $status after $after",
    async ({ after, status }) => {
      const { run, tryon, mock, submissions, faults } = createService({
        profile,
        latency: "100s",
        options: { holdCut: "off" },
      });
      faults.push({ cutAfter: after, status });
      const result = await run(tryon.run(input));
      expect(result.receipt.attempts[0]).toMatchObject({ status });
      expect(new Set(submissions().map(({ body }) => body)).size).toBe(1);
      expect((await run(tryon.jobs.list().toArray())).map(({ id }) => id)).toEqual([result.job.id]);
      expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
    },
  );

  it("throws job_failed with the service's reason and the job", async () => {
    const { error, tryon } = createService({ profile });
    const failed = await error(tryon.run({ ...input, prompt: "mock:content_blocked" }));
    if (!isTryOnError(failed, "job_failed")) throw failed;
    expect(failed).toMatchObject({
      error_code: "generation_failed",
      error_message: "content_blocked",
    });
    expect(failed.isContentBlocked).toBe(true);
    expect(failed.job.status).toBe("failed");
  });

  it("hands out the job when the time is up before the end", async () => {
    const { error, run, tryon, mock } = createService({
      profile,
      latency: "10m",
      options: { holdCut: "off" },
    });
    const late = await error(tryon.run(input, { timeout: "3m" }));
    if (!isTryOnError(late, "wait_timed_out")) throw late;
    expect(late.message).toContain("billed once");
    expect(mock.clock.now() - Date.UTC(2026, 0, 1)).toBeLessThan(181_000);
    const result = await run(late.job.result());
    expect(result.job.id).toBe(late.job.id);
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
  });

  it("keeps waiting through failures of the polls", async () => {
    const { run, tryon, faults } = createService({ profile, latency: "40s" });
    faults.push(
      undefined,
      ...Array.from(
        { length: 9 },
        (_, index) =>
          [respondWith(503, "<h1>busy</h1>"), cut.before, respondWith(200, "<html>")][index % 3],
      ),
    );
    const result = await run(tryon.run(input, { sync: false }));
    expect(result.job.status).toBe("succeeded");
  });

  it("ends with the job on the error when the key is refused while it waits", async () => {
    const { error, tryon, faults } = createService({ profile, latency: "40s" });
    faults.push(undefined, respondWith(401, { detail: "Invalid API key" }));
    const refused = await error(tryon.run(input, { sync: false }));
    expect(refused).toMatchObject({ code: "unauthorized", job: { status: "running" } });
  });
});

describe("run", () => {
  it("tells the key before the first byte is sent", async () => {
    const { run, tryon, sent } = createService();
    const updates: Update[] = [];
    let sentBefore: number | undefined;
    await run(
      tryon.run(input, {
        idempotencyKey: "order-17",
        onUpdate: (update) => {
          sentBefore ??= sent.length;
          updates.push(update);
        },
      }),
    );
    expect(sentBefore).toBe(0);
    expect(updates[0]).toEqual({ phase: "sending", idempotencyKey: "order-17" });
  });

  it("does not lose the job when onUpdate throws or rejects, and reports it once", async () => {
    const warnings: unknown[] = [];
    const logger = { warn: (_message: string, details: unknown) => warnings.push(details) };
    const { run, tryon } = createService({ latency: "20s" }, { logger });
    const oops = new Error("oops");
    const thrown = await run(
      tryon.run(input, {
        sync: false,
        onUpdate: () => {
          throw oops;
        },
      }),
    );
    expect(thrown.job.status).toBe("succeeded");
    expect(warnings).toEqual([oops]);
    const rejected = await run(
      tryon.run(input, {
        sync: false,
        onUpdate: async () => {
          throw oops;
        },
      }),
    );
    expect(rejected.job.status).toBe("succeeded");
    expect(warnings).toEqual([oops, oops]);
  });

  it("does not hold when the time would not suffice, nor when the input says so", async () => {
    const { run, tryon, submissions } = createService();
    await run(tryon.run(input, { timeout: "100s" }));
    await run(tryon.run({ ...input, mode: "async" }));
    await run(tryon.run(input, { sync: false }));
    await run(tryon.run({ ...input, wait: false }, { sync: true }));
    expect(submissions().map((sent) => fieldsOf(sent)["wait"])).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  it("takes bytes as they are at the call", async () => {
    const { run, tryon, submissions } = createService();
    const bytes = assetBytes("shirt.png");
    const whole = Buffer.from(bytes).toString("base64");
    const metadata = { order: "1" };
    const work = tryon.run({ ...input, garments: [bytes], metadata });
    bytes.fill(0);
    metadata.order = "2";
    await run(work);
    expect(fieldsOf(submissions()[0])).toMatchObject({
      garment_images_b64: [whole],
      metadata: { order: "1" },
    });
  });

  it("rejects within a tick of the abort, with the caller's reason, wherever it is", async () => {
    for (const before of [0, 100, 1_600, 3_000, 4_000]) {
      const { tryon, mock } = createService({ latency: "60s" });
      const controller = new AbortController();
      const reason = { why: before };
      let seen: unknown;
      const work = tryon
        .run(input, { sync: false, signal: controller.signal })
        .catch((error: unknown) => {
          seen = error;
        });
      await mock.clock.advance(before);
      controller.abort(reason);
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      expect(seen).toBe(reason);
      await work;
    }
  });

  it("sends nothing when the signal was aborted before", async () => {
    const { tryon, sent } = createService();
    const work = tryon.run(input, { signal: AbortSignal.abort("no") });
    await expect(work).rejects.toBe("no");
    expect(sent).toEqual([]);
  });

  it("leaves no listener on a signal and no timer on the clock", async () => {
    const { run, tryon, mock } = createService();
    const controller = new AbortController();
    let listeners = 0;
    const { signal } = controller;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...parameters: Parameters<typeof add>) => {
      listeners += 1;
      add(...parameters);
    };
    signal.removeEventListener = (...parameters: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...parameters);
    };
    const result = await run(tryon.run(input, { signal }));
    await run(result.image.bytes({ signal }));
    await run(tryon.account.get({ signal }));
    await run(tryon.jobs.list({ signal }).toArray());
    expect(listeners).toBe(0);
    expect(mock.clock.pending).toBe(0);
  });
});
