import { getEventListeners } from "node:events";

import { cases } from "@tryon/test-kit/cases";
import { afterEach, describe, expect, it } from "vitest";

import { isTryOnError, type Job } from "../index.ts";
import { seededRandom } from "../../test/seeded-random.ts";
import {
  respondWith,
  collect,
  createService,
  input,
  type TestService,
} from "../../test/service.ts";

type Requests = TestService["sent"];
const isList = ({ path, method }: Requests[number]): boolean =>
  method === "GET" && path.endsWith("/tryon");
const isPoll = ({ path, method }: Requests[number]): boolean =>
  method === "GET" && path.includes("/job_");

/** Submits jobs one after the other, which does not advance a manual clock. */
async function submitJobs({ tryon }: TestService, count: number, client = tryon): Promise<Job[]> {
  const jobs: Job[] = [];
  for (let index = 0; index < count; index += 1) jobs.push(await client.submit(input));
  return jobs;
}

async function submitJob(service: TestService): Promise<Job> {
  return service.run(service.tryon.submit(input));
}

/** Waits for all jobs with one advance of time, and returns the results and the requests of the wait. */
async function waitFor({ mock, sent }: TestService, jobs: readonly Job[]) {
  const before = sent.length;
  const waits = Promise.all(jobs.map((job) => job.result({ timeout: "1h" })));
  await mock.clock.advance("6m");
  const results = await waits;
  expect(results.map(({ job }) => job.status)).toEqual(jobs.map(() => "succeeded"));
  return sent.slice(before);
}

describe("the waits of a client", () => {
  it("need few requests, and stay under a limit of 60 requests a minute", async () => {
    const service = createService({ latency: "50s" });
    const { token } = await service.mock.createKey({ rateLimitPerMinute: 60 });
    const tryon = service.client({ apiKey: token });
    const jobs = await submitJobs(service, 3, tryon);
    expect((await waitFor(service, jobs)).length).toBeLessThan(30);
    expect(service.mock.journal.entries().filter(({ status }) => status === 429)).toEqual([]);
  });

  it("poll one job by its id, and several by the list", async () => {
    const service = createService({ latency: "20s" });
    const one = await waitFor(service, await submitJobs(service, 1));
    expect(one.some(isList)).toBe(false);
    const several = await waitFor(service, await submitJobs(service, 15));
    expect(several.filter(isPoll).length).toBeLessThan(3);
    expect(several.length).toBeLessThan(one.length + 12);
  });

  it("share the polls of the same job, and each receives every poll", async () => {
    const service = createService({ latency: "30s" });
    const job = await submitJob(service);
    const before = service.sent.length;
    const updates = [0, 0, 0];
    const waits = updates.map((_none, index) =>
      job.result({
        onUpdate: ({ phase }) =>
          phase === "waiting" && (updates[index] = (updates[index] ?? 0) + 1),
      }),
    );
    const loop = collect(job);
    await service.run(Promise.all([...waits, loop]));
    const polls = service.sent.length - before;
    expect(updates).toEqual([polls, polls, polls]);
    expect(await loop).toHaveLength(polls + 1);
  });

  it("read further pages for many jobs, and poll a few old jobs by id", async () => {
    const service = createService({ latency: "100s" });
    const { token } = await service.mock.createKey({ credits: 5_000, rateLimitPerMinute: 6_000 });
    const tryon = service.client({ apiKey: token });
    const jobs = await submitJobs(service, 130, tryon);
    const read = async (waited: readonly Job[]) => {
      const sent = await waitFor(
        service,
        waited.map(({ id }) => tryon.jobs.resume(id)),
      );
      return {
        polled: new Set(sent.filter(isPoll).map(({ path }) => path.split("/").at(-1))),
        further: sent.filter(({ url }) => url.includes("cursor=")).length,
      };
    };
    const many = await read(jobs);
    expect(many.further).toBeGreaterThan(0);
    expect(many.polled.size).toBeLessThan(jobs.length / 4);
    const few = [...jobs.slice(0, 2), ...jobs.slice(-2)];
    const old = new Set(few.slice(0, 2).map(({ id }) => id));
    expect(await read(few)).toEqual({ polled: old, further: 0 });
  });

  it.each(["all", "429-only", "none"] as const)(
    "end well under a low rate limit with %s rate headers",
    async (rateHeaders) => {
      const { run, client, mock } = createService({ options: { rateHeaders } });
      const limited = client({ apiKey: mock.keys.limited });
      const jobs: Job[] = [];
      for (let count = 0; count < 4; count += 1) jobs.push(await run(limited.submit(input)));
      for (const job of jobs) expect((await run(job.result())).job.status).toBe("succeeded");
    },
  );
});

describe("a job of another key", () => {
  it.each([0, 1, 20])("ends its own wait with a 403, and none of %d others", async (count) => {
    const service = createService({ latency: "20s", options: { foreignJob: 403 } });
    const { mock, client, tryon, run } = service;
    const { token } = await mock.createKey({ credits: 100 });
    const [first, second] = await submitJobs(service, 2, client({ apiKey: token }));
    const jobs = await submitJobs(service, count);
    const foreign = [first, second].map((job) =>
      tryon.jobs
        .resume(job?.id ?? "")
        .result()
        .catch((error: unknown) => error),
    );
    const sent = await waitFor(service, jobs);
    for (const error of await run(Promise.all(foreign))) {
      expect(error).toMatchObject({ code: "forbidden", status: 403 });
    }
    expect(sent.length).toBeLessThan(40);
  });
});

describe("the list that many waits share", () => {
  it("has the default page size if the service rejects the maximum", async () => {
    const service = createService({
      latency: "60s",
      options: { maxLimit: 50, limitBounds: "refuse" },
    });
    const lists = (await waitFor(service, await submitJobs(service, 30))).filter(isList);
    const limits = lists.map(({ url }) => new URL(url).searchParams.get("limit"));
    expect(limits[0]).toBe("100");
    expect(new Set(limits.slice(1))).toEqual(new Set([null]));
  });

  it.each([
    ["is closed by a proxy", respondWith(403, { detail: "closed" })],
    ["does not exist", respondWith(404, { detail: "closed" })],
    ["is not allowed", respondWith(405, { detail: "closed" })],
    ["fails", respondWith(500, { detail: "no" })],
    ["is the page of a proxy", respondWith(502, "<html>")],
    ["has no rows", respondWith(200, { rows: [] })],
    ["has rows that are not jobs", respondWith(200, { jobs: [{ id: 7 }] })],
  ])("is replaced by polls of each id for a minute if it %s", async (_what, fault) => {
    const service = createService({ latency: "90s", options: { maxLimit: 100 } }, { retries: 0 });
    const jobs = await submitJobs(service, 12);
    service.faults.push(fault);
    const sent = await waitFor(service, jobs);
    const [first = 0, next = 0] = sent.filter(isList).map(({ at }) => at);
    expect(first).toBe(sent[0]?.at);
    expect(next - first).toBeGreaterThanOrEqual(60_000);
    expect(next - first).toBeLessThan(75_000);
  });

  it.each([
    [401, "unauthorized", 1],
    [401, "unauthorized", 40],
    [403, "forbidden", 40],
  ])(
    "ends after repeated %ds as %s in the wait for each of %d jobs",
    async (status, code, count) => {
      const service = createService({ latency: "20s" });
      const jobs = await submitJobs(service, count);
      service.faults.push(
        ...Array.from({ length: 9 }, () => respondWith(status, { detail: "no" })),
      );
      const before = service.sent.length;
      const errors = await service.run(
        Promise.all(jobs.map((job) => job.result().catch((error: unknown) => error))),
      );
      for (const [index, error] of errors.entries()) {
        if (!isTryOnError(error)) throw error;
        expect(error).toBeInstanceOf(Error);
        expect(error.code).toBe(code);
        expect(error.job).toBe(jobs[index]);
        expect(error.attempts).toHaveLength(1);
        expect(error.message).toContain("no");
      }
      expect(service.sent.length - before).toBeLessThan(6);
      expect(service.mock.clock.pending).toBe(jobs.length);
    },
  );

  it("is first read at the time that earlier try-ons took", async () => {
    const service = createService({ latency: "40s" });
    for (let made = 0; made < 6; made += 1) await waitFor(service, await submitJobs(service, 1));
    const jobs = await submitJobs(service, 3);
    const submittedAt = service.sent.at(-1)?.at ?? 0;
    const [first] = await waitFor(service, jobs);
    expect((first?.at ?? 0) - submittedAt).toBeGreaterThan(12_000);
  });

  it("is read again after all of its waits were aborted", async () => {
    const service = createService({ latency: "20s" });
    const submitted = await submitJobs(service, 3);
    let hangs = true;
    const client = service.client({
      fetch: async (url, init) =>
        hangs ? new Promise<Response>(() => undefined) : service.fetch(url, init),
    });
    const jobs = submitted.map(({ id }) => client.jobs.resume(id));
    const controller = new AbortController();
    const { signal } = controller;
    const waits = jobs.map((job) => job.result({ signal }).catch((reason: unknown) => reason));
    await service.mock.clock.advance("1s");
    controller.abort("enough");
    expect(await Promise.all(waits)).toEqual(["enough", "enough", "enough"]);
    hangs = false;
    await service.run(jobs[0]?.updates().next() ?? Promise.reject());
    expect((await waitFor(service, jobs)).filter(isList)).not.toEqual([]);
  });

  it("finds jobs that reads do not show yet", async () => {
    const service = createService({ latency: "1s", options: { readLag: 800 } });
    const tryon = service.client({ apiKey: "svc_test_mock" });
    const results = [1, 2, 3].map(async () => {
      const { id } = await tryon.submit(input);
      return tryon.jobs.resume(id).result();
    });
    expect(await service.run(Promise.all(results))).toHaveLength(3);
  });
});

describe("a wait among others", () => {
  it("ends at its own timeout, shortly after a last poll", async () => {
    const { run, error, tryon, mock, sent } = createService({ latency: "1h" });
    const job = await run(tryon.submit(input));
    const start = mock.clock.now();
    const others = [1, 2].map(() => error(job.result({ timeout: "2m" })));
    const before = sent.length;
    const failed = await error(job.result({ timeout: "5s" }));
    expect(failed).toMatchObject({ code: "wait_timed_out", job: { id: job.id } });
    expect(sent.slice(before).map(({ at }) => at - start)).toEqual([4_000]);
    await Promise.all(others);
    expect(Math.max(...sent.map(({ at }) => at - start))).toBeLessThanOrEqual(119_000);
  });

  it("leaves the request to the others when it is aborted, and the last one aborts the request", async () => {
    const service = createService({ latency: "1h" });
    const signals: AbortSignal[] = [];
    const job = await submitJob(service);
    const client = service.client({
      fetch: (_url, { signal }) => {
        if (signal) signals.push(signal);
        return new Promise(() => undefined);
      },
    });
    const resumed = client.jobs.resume(job.id);
    const controllers = [new AbortController(), new AbortController()];
    const waits = controllers.map(({ signal }) =>
      resumed.result({ signal }).catch((reason: unknown) => reason),
    );
    await service.mock.clock.advance("1s");
    expect(signals).toHaveLength(1);
    controllers[0]?.abort("first");
    expect(await waits[0]).toBe("first");
    expect(signals[0]?.aborted).toBe(false);
    controllers[1]?.abort("second");
    expect(await waits[1]).toBe("second");
    // The connection is closed.
    await service.mock.clock.advance(0);
    expect(signals[0]?.aborted).toBe(true);
    expect(service.mock.clock.pending).toBe(1);
  });

  it("ends while the poll of another job hangs", async () => {
    const service = createService({ latency: "20s" });
    const [stuck, job] = await submitJobs(service, 2);
    const client = service.client({
      fetch: async (url, init) =>
        url.endsWith(`/${stuck?.id}`) ? new Promise(() => undefined) : service.fetch(url, init),
    });
    const controller = new AbortController();
    const blockedWait = client.jobs
      .resume(stuck?.id ?? "")
      .result(controller)
      .catch(String);
    await service.mock.clock.advance("1s");
    const start = service.mock.clock.now();
    const sent = await waitFor(service, [client.jobs.resume(job?.id ?? "")]);
    expect((sent.at(-1)?.at ?? 0) - start).toBeLessThan(25_000);
    controller.abort("enough");
    expect(await blockedWait).toBe("enough");
  });

  // Node searches all listeners of a signal for each new one, so each round has a thousand waits.
  it("leaves no timer, listener or request after thousands of waits on one signal that time out, break or abort", async () => {
    const { mock, tryon, sent } = createService({ latency: "1h" });
    const jobs = await Promise.all([1, 2, 3].map(() => tryon.submit(input)));
    const timers = mock.clock.pending;
    const controller = new AbortController();
    const { signal } = controller;
    const random = seededRandom(5);
    const ends = new Set<unknown>();
    const rounds = cases(20);
    for (let round = 1; round <= rounds; round += 1) {
      const waits = Array.from({ length: 1_000 }, async (_none, index): Promise<unknown> => {
        const job = tryon.jobs.resume(jobs[index % 3]?.id ?? "");
        const share = random();
        if (share < 0.4) return job.result({ signal, timeout: "10s" });
        if (round === rounds && share < 0.8) return job.result({ signal });
        for await (const { status } of job.updates({ signal, timeout: "10s" })) {
          if (share < 0.9) return status;
        }
        return "ended";
      });
      const settled = Promise.allSettled(waits);
      await mock.clock.advance("9s");
      if (round === rounds) controller.abort({ code: "aborted" });
      await mock.clock.advance("2s");
      for (const end of await settled) {
        // Each wait rejects with an error of the client or with the reason of the abort.
        ends.add(end.status === "fulfilled" ? end.value : (end.reason as { code: string }).code);
      }
    }
    expect(ends).toEqual(new Set(["running", "wait_timed_out", "aborted"]));
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(mock.clock.pending).toBe(timers);
    const { length } = sent;
    expect(length).toBeLessThan(10 * rounds);
    await mock.clock.advance("5m");
    expect(sent).toHaveLength(length);
  });
});

describe("in a page", () => {
  afterEach(() => {
    Reflect.deleteProperty(globalThis, "document");
  });

  it("polls rarely while the page is hidden, and at once when it becomes visible", async () => {
    const { run, tryon, mock, sent } = createService({ latency: "10m" });
    const job = await run(tryon.submit(input));
    const page = Object.assign(new EventTarget(), { visibilityState: "hidden" });
    Reflect.set(globalThis, "document", page);
    const wait = job.result({ timeout: "1h" });
    const before = sent.length;
    await mock.clock.advance("2m");
    expect(sent.length - before).toBe(4);
    await mock.clock.advance("10s");
    const shownAt = mock.clock.now();
    page.visibilityState = "visible";
    page.dispatchEvent(new Event("visibilitychange"));
    await mock.clock.advance("1ms");
    expect(sent.at(-1)?.at).toBe(shownAt);
    expect(getEventListeners(page, "visibilitychange")).toHaveLength(1);
    await run(wait);
    expect(getEventListeners(page, "visibilitychange")).toEqual([]);
  });
});

describe("a poll that gets a page of another server", () => {
  it.each([
    [401, {}],
    [403, {}],
    [404, {}],
    [407, {}],
    [302, { location: "/login" }],
  ])("does not end the wait with %i", async (status, headers) => {
    const service = createService({ latency: "20s" });
    const job = await submitJob(service);
    const page = respondWith(status, "<html>Request blocked</html>", headers);
    service.faults.push(page, page, page, page);
    const result = await service.run(job.result());
    expect(result.job.status).toBe("succeeded");
  });

  it("is repeated more and more slowly, up to the timeout, and shown as the cause", async () => {
    const service = createService({ latency: "5m" });
    const job = await submitJob(service);
    const before = service.sent.length;
    const page = respondWith(403, "<html>Request blocked</html>");
    service.faults.push(...Array.from({ length: 500 }, () => page));
    const failed = await service.error(job.result({ timeout: "3m" }));
    expect(failed).toMatchObject({ code: "wait_timed_out", cause: { status: 403 } });
    expect(service.sent.length - before).toBeLessThan(20);
  });
});
