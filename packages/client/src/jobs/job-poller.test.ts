import { getEventListeners } from "node:events";

import { afterEach, describe, expect, it } from "vitest";

import { isTryOnError, type Job } from "../index.ts";
import { leaveNothing } from "../../test/leave-nothing.ts";
import { answering, createWorld, input, profiles, type World } from "../../test/world.ts";

const isList = ({ path, method }: World["sent"][number]): boolean =>
  method === "GET" && path.endsWith("/tryon");
const isPoll = ({ path, method }: World["sent"][number]): boolean =>
  method === "GET" && path.includes("/job_");

/** Jobs that are submitted one after the other, for which a manual clock need not move. */
async function submitted({ tryon }: World, count: number, client = tryon): Promise<Job[]> {
  const jobs: Job[] = [];
  for (let made = 0; made < count; made += 1) jobs.push(await client.submit(input));
  return jobs;
}

/** Which jobs were asked for by their ids, and how many pages but the first. */
const kindsOf = (sent: World["sent"]) => ({
  polled: new Set(sent.filter(isPoll).map(({ path }) => path.split("/").at(-1))),
  further: sent.filter(({ url }) => url.includes("cursor=")).length,
});

/** Waits for all of them in one move of time, which takes less time than many. */
async function ended(
  { mock }: World,
  jobs: readonly Job[],
  time: Parameters<World["mock"]["clock"]["advance"]>[0] = "5m",
) {
  const waits = results(jobs);
  await mock.clock.advance(time);
  return waits;
}

const results = (jobs: readonly Job[], signal?: AbortSignal) =>
  Promise.all(jobs.map((job) => job.result({ timeout: "1h", signal })));

describe.each(profiles)("the waits of a client under the profile %s", (profile) => {
  it("never come to a limit of 60 requests a minute, where polls each second do with two", async () => {
    const world = createWorld({ profile, latency: "50s" });
    const { token } = await world.mock.createKey({ rateLimitPerMinute: 60 });
    const tryon = world.client({ apiKey: token });
    const jobs = await submitted(world, 3, tryon);
    const before = world.sent.length;
    await ended(world, jobs);
    expect(world.sent.length - before).toBeLessThan(30);
    expect(world.mock.journal.entries().filter(({ status }) => status === 429)).toEqual([]);
  });

  it("share their looks: one is asked for by its id, several by the list", async () => {
    const world = createWorld({ profile, latency: "20s" });
    await ended(world, await submitted(world, 1));
    expect(world.sent.some(isList)).toBe(false);
    const alone = world.sent.filter(isPoll).length;
    const jobs = await submitted(world, 15);
    const before = world.sent.length;
    const found = await ended(world, jobs);
    expect(found.map(({ job }) => job.status)).toEqual(jobs.map(() => "succeeded"));
    const looks = world.sent.slice(before);
    expect(looks.filter(isPoll).length).toBeLessThan(3);
    expect(looks.length).toBeLessThan(alone + 12);
  });

  it("get the same look also when they are for the same job, and each hears of every one", async () => {
    const world = createWorld({ profile, latency: "30s" });
    const [job] = await submitted(world, 1);
    if (!job) throw new Error("There is no job.");
    const before = world.sent.length;
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
    await world.run(Promise.all([...waits, loop]));
    const looks = world.sent.length - before;
    expect(heard).toEqual([looks, looks, looks]);
    expect(statuses).toHaveLength(looks + 1);
  });

  it("ask page by page for more jobs than are on one, and by id for few that are far down", async () => {
    const world = createWorld({ profile, latency: "100s" });
    const { token } = await world.mock.createKey({ credits: 5_000, rateLimitPerMinute: 6_000 });
    const tryon = world.client({ apiKey: token });
    const jobs = await submitted(world, 130, tryon);
    const pages = async (waited: readonly Job[]): Promise<World["sent"]> => {
      const before = world.sent.length;
      const again = waited.map(({ id }) => tryon.jobs.resume(id));
      const found = await ended(world, again);
      expect(found.map(({ job }) => job.status)).toEqual(waited.map(() => "succeeded"));
      return world.sent.slice(before);
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
      const world = createWorld({ latency: "60s", options: { maxLimit } });
      const jobs = await submitted(world, 30);
      const before = world.sent.length;
      await ended(world, jobs);
      const lists = world.sent.slice(before).filter(isList);
      const limits = lists.map(({ url }) => Number(new URL(url).searchParams.get("limit")));
      expect(limits[0]).toBe(100);
      expect(new Set(limits.slice(1))).toEqual(new Set([later]));
    },
  );

  it.each([403, 404, 405])(
    "is done without where something keeps it closed with %d",
    async (status) => {
      const world = createWorld({ latency: "20s" });
      const jobs = await submitted(world, 3);
      world.faults.push(answering(status, { detail: "closed" }));
      const before = world.sent.length;
      await ended(world, jobs);
      expect(world.sent.slice(before).filter(isList)).toHaveLength(1);
    },
  );

  it.each([
    ["an error of the server", answering(500, { detail: "no" })],
    ["a page of a proxy", answering(502, "<html>")],
    ["an answer that is no list", answering(200, { rows: [] })],
  ])("ends no wait with %s", async (_what, fault) => {
    const world = createWorld({ latency: "20s" }, { retries: 0 });
    const jobs = await submitted(world, 3);
    world.faults.push(fault, fault);
    expect(await ended(world, jobs)).toHaveLength(3);
  });

  it.each([
    ["fails", answering(500, { detail: "no" })],
    ["holds what is no job", answering(200, { jobs: [{ id: 7 }] })],
  ])("is done without while it %s and jobs are given by their ids", async (_what, fault) => {
    const world = createWorld({ latency: "20s" });
    const jobs = await submitted(world, 12);
    let lists = 0;
    const client = world.client({
      fetch: async (url, init) => {
        if (!new URL(url).pathname.endsWith("/tryon")) return world.fetch(url, init);
        lists += 1;
        world.faults.push(fault);
        return world.fetch(url, init);
      },
    });
    const work = client.jobs.waitAll(
      jobs.map((job) => job.toJSON()),
      { timeout: "2m" },
    );
    await world.mock.clock.advance("2m");
    expect((await work).map(({ error }) => error)).toEqual(jobs.map(() => undefined));
    expect(lists).toBeLessThan(12);
  });

  it.each([
    { failures: 4, pause: [0, 5_000] },
    { failures: 8, pause: [50_000, 75_000] },
  ])("is asked for again when it has failed $failures times", async ({ failures, pause }) => {
    const world = createWorld({ latency: "3m", options: { maxLimit: 100 } });
    const waits = results(await submitted(world, 12));
    world.mock.faults.add({ on: "GET /api/v1/tryon", status: 500, times: failures });
    await world.mock.clock.advance("6m");
    await waits;
    const times = world.sent.filter(isList).map(({ at }) => at);
    const [last = 0, next = 0] = times.slice(failures - 1);
    expect(next - last).toBeGreaterThan(pause[0] ?? 0);
    expect(next - last).toBeLessThan(pause[1] ?? 0);
    expect(times.length).toBeGreaterThan(10);
  });

  it.each([
    [401, "unauthorized"],
    [403, "forbidden"],
  ])("ends every wait with %d, each with its own job on the error", async (status, code) => {
    const world = createWorld({ latency: "20s" });
    const jobs = await submitted(world, 40);
    world.faults.push(...Array.from({ length: 9 }, () => answering(status, { detail: "no" })));
    const before = world.sent.length;
    const ends = await world.run(
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
    expect(world.sent.length - before).toBeLessThan(6);
    expect(world.mock.clock.pending).toBe(jobs.length);
  });

  it("is not asked for before the usual time once held answers have told it", async () => {
    const world = createWorld({ latency: "40s" });
    for (let made = 0; made < 6; made += 1) await world.run(world.tryon.run(input));
    const jobs = await submitted(world, 3);
    const before = world.sent.length;
    await ended(world, jobs);
    expect((world.sent[before]?.at ?? 0) - (world.sent[before - 1]?.at ?? 0)).toBeGreaterThan(
      15_000,
    );
  });

  it("misses no job that the service does not show yet", async () => {
    const world = createWorld(
      { latency: "1s", options: { readLag: 800 } },
      { apiKey: "svc_test_mock" },
    );
    const found = await world.run(
      Promise.all(
        [1, 2, 3].map(async () => {
          const { id } = await world.tryon.submit(input);
          return world.tryon.jobs.resume(id).result();
        }),
      ),
    );
    expect(found).toHaveLength(3);
  });
});

describe("a 429 while 50 jobs are waited for", () => {
  it("is one pause for all, with no request meanwhile", async () => {
    const world = createWorld({ latency: "40s" });
    const jobs = await submitted(world, 50);
    world.faults.push(answering(429, { detail: "busy" }, { "retry-after": "25" }));
    const before = world.sent.length;
    await ended(world, jobs);
    const times = world.sent.slice(before).map(({ at }) => at - (world.sent[before]?.at ?? 0));
    expect(times.filter((time) => time > 0 && time < 25_000)).toEqual([]);
    expect(times.length).toBeLessThan(80);
  });
});

describe("a wait among others", () => {
  it("keeps its own time, and is looked at shortly before it is up", async () => {
    const { run, error, tryon, mock, sent } = createWorld({ latency: "1h" });
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
    const world = createWorld({ latency: "1h" });
    const { mock } = world;
    const signals: AbortSignal[] = [];
    const [job] = await submitted(world, 1);
    if (!job) throw new Error("There is no job.");
    const client = world.client({
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
    const world = createWorld({ latency: "1h" });
    await leaveNothing(world, 2);
    expect(world.sent.length).toBeLessThan(20);
  });
});

describe("in a page", () => {
  afterEach(() => {
    Reflect.deleteProperty(globalThis, "document");
  });

  it("looks are rare as long as nobody sees it, and come at once when somebody does", async () => {
    const { run, tryon, mock, sent } = createWorld({ latency: "10m" });
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
