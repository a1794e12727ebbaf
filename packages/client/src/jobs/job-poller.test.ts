import { getEventListeners } from "node:events";

import { afterEach, describe, expect, it } from "vitest";

import { isTryOnError, type Job } from "../index.ts";
import { expectNothingLeft } from "../../test/abandoned-waits.ts";
import {
  respondWith,
  createService,
  input,
  profiles,
  type TestService,
} from "../../test/service.ts";

const isList = ({ path, method }: TestService["sent"][number]): boolean =>
  method === "GET" && path.endsWith("/tryon");
const isPoll = ({ path, method }: TestService["sent"][number]): boolean =>
  method === "GET" && path.includes("/job_");

/** Jobs that are submitted one after the other, for which a manual clock need not move. */
async function submitted({ tryon }: TestService, count: number, client = tryon): Promise<Job[]> {
  const jobs: Job[] = [];
  for (let made = 0; made < count; made += 1) jobs.push(await client.submit(input));
  return jobs;
}

/** Which jobs were asked for by their ids, and how many pages but the first. */
const kindsOf = (sent: TestService["sent"]) => ({
  polled: new Set(sent.filter(isPoll).map(({ path }) => path.split("/").at(-1))),
  further: sent.filter(({ url }) => url.includes("cursor=")).length,
});

/** Waits for all of them in one move of time, which takes less time than many. */
async function ended(
  { mock }: TestService,
  jobs: readonly Job[],
  time: Parameters<TestService["mock"]["clock"]["advance"]>[0] = "5m",
) {
  const waits = results(jobs);
  await mock.clock.advance(time);
  return waits;
}

const results = (jobs: readonly Job[], signal?: AbortSignal) =>
  Promise.all(jobs.map((job) => job.result({ timeout: "1h", signal })));

describe.each(profiles)("the waits of a client under the profile %s", (profile) => {
  it("never come to a limit of 60 requests a minute, where polls each second do with two", async () => {
    const service = createService({ profile, latency: "50s" });
    const { token } = await service.mock.createKey({ rateLimitPerMinute: 60 });
    const tryon = service.client({ apiKey: token });
    const jobs = await submitted(service, 3, tryon);
    const before = service.sent.length;
    await ended(service, jobs);
    expect(service.sent.length - before).toBeLessThan(30);
    expect(service.mock.journal.entries().filter(({ status }) => status === 429)).toEqual([]);
  });

  it("share their looks: one is asked for by its id, several by the list", async () => {
    const service = createService({ profile, latency: "20s" });
    await ended(service, await submitted(service, 1));
    expect(service.sent.some(isList)).toBe(false);
    const alone = service.sent.filter(isPoll).length;
    const jobs = await submitted(service, 15);
    const before = service.sent.length;
    const found = await ended(service, jobs);
    expect(found.map(({ job }) => job.status)).toEqual(jobs.map(() => "succeeded"));
    const looks = service.sent.slice(before);
    expect(looks.filter(isPoll).length).toBeLessThan(3);
    expect(looks.length).toBeLessThan(alone + 12);
  });

  it("get the same look also when they are for the same job, and each hears of every one", async () => {
    const service = createService({ profile, latency: "30s" });
    const [job] = await submitted(service, 1);
    if (!job) throw new Error("There is no job.");
    const before = service.sent.length;
    const heard = [0, 0, 0];
    const waits = heard.map((_none, index) =>
      job.result({
        onUpdate: ({ phase }) => phase === "waiting" && (heard[index] = (heard[index] ?? 0) + 1),
      }),
    );
    const statuses: string[] = [];
    const loop = (async () => {
      for await (const { status } of job) statuses.push(status);
    })();
    await service.run(Promise.all([...waits, loop]));
    const looks = service.sent.length - before;
    expect(heard).toEqual([looks, looks, looks]);
    expect(statuses).toHaveLength(looks + 1);
  });

  it("ask page by page for more jobs than are on one, and by id for few that are far down", async () => {
    const service = createService({ profile, latency: "100s" });
    const { token } = await service.mock.createKey({ credits: 5_000, rateLimitPerMinute: 6_000 });
    const tryon = service.client({ apiKey: token });
    const jobs = await submitted(service, 130, tryon);
    const pages = async (waited: readonly Job[]): Promise<TestService["sent"]> => {
      const before = service.sent.length;
      const again = waited.map(({ id }) => tryon.jobs.resume(id));
      const found = await ended(service, again);
      expect(found.map(({ job }) => job.status)).toEqual(waited.map(() => "succeeded"));
      return service.sent.slice(before);
    };
    const all = kindsOf(await pages(jobs));
    expect(all.further).toBeGreaterThan(0);
    expect(all.polled.size).toBeLessThan(jobs.length / 4);
    const few = [...jobs.slice(0, 2), ...jobs.slice(-2)];
    const some = kindsOf(await pages(few));
    expect(some).toEqual({ polled: new Set(few.slice(0, 2).map(({ id }) => id)), further: 0 });
  });
});

describe("the list that many waits share", () => {
  it.each([
    { maxLimit: 100, later: 100 },
    { maxLimit: 50, later: 50 },
  ] as const)(
    "is asked for by pages that are not too long for $maxLimit",
    async ({ maxLimit, later }) => {
      const service = createService({ latency: "60s", options: { maxLimit } });
      const jobs = await submitted(service, 30);
      const before = service.sent.length;
      await ended(service, jobs);
      const lists = service.sent.slice(before).filter(isList);
      const limits = lists.map(({ url }) => Number(new URL(url).searchParams.get("limit")));
      expect(limits[0]).toBe(100);
      expect(new Set(limits.slice(1))).toEqual(new Set([later]));
    },
  );

  it.each([403, 404, 405])(
    "is done without where something keeps it closed with %d",
    async (status) => {
      const service = createService({ latency: "20s" });
      const jobs = await submitted(service, 3);
      service.faults.push(respondWith(status, { detail: "closed" }));
      const before = service.sent.length;
      await ended(service, jobs);
      expect(service.sent.slice(before).filter(isList)).toHaveLength(1);
    },
  );

  it.each([
    ["an error of the server", respondWith(500, { detail: "no" })],
    ["a page of a proxy", respondWith(502, "<html>")],
    ["an answer that is no list", respondWith(200, { rows: [] })],
  ])("ends no wait with %s", async (_what, fault) => {
    const service = createService({ latency: "20s" }, { retries: 0 });
    const jobs = await submitted(service, 3);
    service.faults.push(fault, fault);
    expect(await ended(service, jobs)).toHaveLength(3);
  });

  it.each([
    ["fails", respondWith(500, { detail: "no" })],
    ["holds what is no job", respondWith(200, { jobs: [{ id: 7 }] })],
  ])("is done without while it %s and jobs are given by their ids", async (_what, fault) => {
    const service = createService({ latency: "20s" });
    const jobs = await submitted(service, 12);
    let lists = 0;
    const client = service.client({
      fetch: async (url, init) => {
        if (!new URL(url).pathname.endsWith("/tryon")) return service.fetch(url, init);
        lists += 1;
        service.faults.push(fault);
        return service.fetch(url, init);
      },
    });
    const work = client.jobs.waitAll(
      jobs.map((job) => job.toJSON()),
      { timeout: "2m" },
    );
    await service.mock.clock.advance("2m");
    expect((await work).map(({ error }) => error)).toEqual(jobs.map(() => undefined));
    expect(lists).toBeLessThan(12);
  });

  it.each([
    { failures: 4, pause: [0, 5_000] },
    { failures: 8, pause: [50_000, 75_000] },
  ])("is asked for again when it has failed $failures times", async ({ failures, pause }) => {
    const service = createService({ latency: "3m", options: { maxLimit: 100 } });
    const waits = results(await submitted(service, 12));
    service.mock.faults.add({ on: "GET /api/v1/tryon", status: 500, times: failures });
    await service.mock.clock.advance("6m");
    await waits;
    const times = service.sent.filter(isList).map(({ at }) => at);
    const [last = 0, next = 0] = times.slice(failures - 1);
    expect(next - last).toBeGreaterThan(pause[0] ?? 0);
    expect(next - last).toBeLessThan(pause[1] ?? 0);
    expect(times.length).toBeGreaterThan(10);
  });

  it.each([
    [401, "unauthorized"],
    [403, "forbidden"],
  ])("ends every wait with %d, each with its own job on the error", async (status, code) => {
    const service = createService({ latency: "20s" });
    const jobs = await submitted(service, 40);
    service.faults.push(...Array.from({ length: 9 }, () => respondWith(status, { detail: "no" })));
    const before = service.sent.length;
    const ends = await service.run(
      Promise.all(jobs.map((job) => job.result().catch((error: unknown) => error))),
    );
    for (const [index, error] of ends.entries()) {
      if (!isTryOnError(error)) throw error;
      expect(error).toBeInstanceOf(Error);
      expect(error.code).toBe(code);
      expect(error.job).toBe(jobs[index]);
      expect(error.attempts).toHaveLength(1);
      expect(error.message).toContain("no");
    }
    expect(service.sent.length - before).toBeLessThan(6);
    expect(service.mock.clock.pending).toBe(jobs.length);
  });

  it("is not asked for before the usual time once held answers have told it", async () => {
    const service = createService({ latency: "40s" });
    for (let made = 0; made < 6; made += 1) await service.run(service.tryon.run(input));
    const jobs = await submitted(service, 3);
    const before = service.sent.length;
    await ended(service, jobs);
    expect((service.sent[before]?.at ?? 0) - (service.sent[before - 1]?.at ?? 0)).toBeGreaterThan(
      15_000,
    );
  });

  it("misses no job that the service does not show yet", async () => {
    const service = createService(
      { latency: "1s", options: { readLag: 800 } },
      { apiKey: "svc_test_mock" },
    );
    const found = await service.run(
      Promise.all(
        [1, 2, 3].map(async () => {
          const { id } = await service.tryon.submit(input);
          return service.tryon.jobs.resume(id).result();
        }),
      ),
    );
    expect(found).toHaveLength(3);
  });
});

describe("a 429 while 50 jobs are waited for", () => {
  it("is one pause for all, with no request meanwhile", async () => {
    const service = createService({ latency: "40s" });
    const jobs = await submitted(service, 50);
    service.faults.push(respondWith(429, { detail: "busy" }, { "retry-after": "25" }));
    const before = service.sent.length;
    await ended(service, jobs);
    const times = service.sent.slice(before).map(({ at }) => at - (service.sent[before]?.at ?? 0));
    expect(times.filter((time) => time > 0 && time < 25_000)).toEqual([]);
    expect(times.length).toBeLessThan(80);
  });
});

describe("a wait among others", () => {
  it("keeps its own time, and is looked at shortly before it is up", async () => {
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

  it("that is aborted leaves the request to the others, and the last one takes it along", async () => {
    const service = createService({ latency: "1h" });
    const { mock } = service;
    const signals: AbortSignal[] = [];
    const [job] = await submitted(service, 1);
    if (!job) throw new Error("There is no job.");
    const client = service.client({
      fetch: (_url, { signal }) => {
        if (signal) signals.push(signal);
        return new Promise(() => undefined);
      },
    });
    const controllers = [new AbortController(), new AbortController()];
    const waits = controllers.map(({ signal }) =>
      client.jobs
        .resume(job.id)
        .result({ signal })
        .catch((reason: unknown) => reason),
    );
    await mock.clock.advance("1s");
    expect(signals).toHaveLength(1);
    controllers[0]?.abort("first");
    expect(await waits[0]).toBe("first");
    expect(signals[0]?.aborted).toBe(false);
    controllers[1]?.abort("second");
    expect(await waits[1]).toBe("second");
    expect(signals[0]?.aborted).toBe(true);
    expect(mock.clock.pending).toBe(1);
  });

  it("leaves nothing behind, however it ends", async () => {
    const service = createService({ latency: "1h" });
    await expectNothingLeft(service, 2);
    expect(service.sent.length).toBeLessThan(20);
  });
});

describe("in a page", () => {
  afterEach(() => {
    Reflect.deleteProperty(globalThis, "document");
  });

  it("looks are rare as long as nobody sees it, and come at once when somebody does", async () => {
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
