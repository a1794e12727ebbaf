import * as fc from "fast-check";
import { beforeEach, expect, it, test } from "vitest";

import { cases, seed } from "@tryon/test-kit/cases";
import { createMemoryStore, createReceiver, type ReceiverOptions } from "../index.ts";
import { systemClock } from "@tryon/shared/clock";
import { reconcile, type LeftBehindJob, type ListedJob } from "./reconcile.ts";

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const dedupeTtl = 7 * day;
const start = Date.UTC(2026, 0, 1);
const iso = (time: number): string => new Date(time).toISOString();
const stated = (time: number | null): string | null => (time === null ? null : iso(time));

interface Submitted {
  readonly id: string;
  readonly createdAt: number | null;
  readonly endedAt: number;
  readonly completedAt: number | null;
  /** Time from which the list has the job. */
  readonly listedAt: number;
}

/** A service with its jobs, and an app that calls `reconcile` with the cursor of the last call. */
function createApp(options: Partial<ReceiverOptions> = {}) {
  const jobs: Submitted[] = [];
  const handled: string[] = [];
  const leftBehind: LeftBehindJob[] = [];
  const clock = { ...systemClock, now: () => app.time + app.offset };
  const receiver = createReceiver({
    secrets: "whsec_a",
    clock,
    store: createMemoryStore({ clock }),
    onError: () => undefined,
    onCompleted: ({ job_id }) => {
      if (app.failing.has(job_id)) throw new Error("The database is down.");
      handled.push(job_id);
    },
    dedupeTtl,
    ...options,
  });
  const client = {
    jobs: {
      async *list(): AsyncGenerator<ListedJob> {
        const listed = jobs.filter(({ listedAt }) => listedAt <= app.time);
        for (const job of listed.toSorted(
          (a, b) => (b.createdAt ?? Infinity) - (a.createdAt ?? Infinity),
        )) {
          const hasEnded = job.endedAt <= app.time;
          const data = {
            status: hasEnded ? "succeeded" : "running",
            created_at: stated(job.createdAt),
            completed_at: hasEnded ? stated(job.completedAt) : null,
          };
          yield { id: job.id, data };
        }
      },
    },
  };
  const app = {
    /** Time of the service, and the offset of the receiver's clock. */
    time: start,
    offset: 0,
    cursor: iso(start),
    jobs,
    failing: new Set<string>(),
    handled,
    leftBehind,
    /** Adds a job, which no delivery reports. Times are from now; the service may state other ones. */
    submit(id: string, { duration = 0, dated = 0, completed = 0, listed = 0 } = {}): void {
      const endedAt = app.time + duration;
      const [createdAt, completedAt] = [app.time + dated, endedAt + completed];
      jobs.push({ id, endedAt, createdAt, completedAt, listedAt: app.time + listed });
    },
    async run() {
      const result = await reconcile(client, { receiver, since: app.cursor });
      app.cursor = result.cursor;
      leftBehind.push(...result.leftBehind);
      const age = clock.now() - Date.parse(app.cursor);
      expect(age).toBeGreaterThanOrEqual(0);
      expect(age).toBeLessThanOrEqual(dedupeTtl / 2);
      return result;
    },
    /** Calls `reconcile` every so often. */
    async runFor(duration: number, interval = day): Promise<void> {
      for (const end = app.time + duration; app.time < end;) {
        app.time += interval;
        await app.run();
      }
    },
  };
  return app;
}

let app: ReturnType<typeof createApp>;
beforeEach(() => {
  app = createApp();
});

it("leaves a job behind that never ends, reports it once, and handles all others", async () => {
  app.submit("endless", { duration: Infinity });
  for (let index = 0; index < 30; index += 1) {
    app.submit(`job ${index}`, { duration: hour });
    await app.runFor(day);
  }
  expect(app.handled.toSorted()).toEqual(
    Array.from({ length: 30 }, (_, index) => `job ${index}`).toSorted(),
  );
  expect(app.leftBehind).toEqual([
    { id: "endless", createdAt: "2026-01-01T00:00:00.000Z", reason: "running" },
  ]);
});

it("checks a slow job again for half of dedupeTtl", async () => {
  app.submit("slow", { duration: 3.4 * day });
  await app.runFor(3.5 * day, hour);
  expect([app.handled, app.leftBehind]).toEqual([["slow"], []]);
});

it("leaves an event behind whose handler always fails, and handles all others", async () => {
  app.submit("broken");
  app.failing = new Set(["broken"]);
  await app.runFor(2 * day);
  app.submit("whole");
  await app.runFor(40 * day);
  expect(app.handled).toEqual(["whole"]);
  expect(app.leftBehind).toMatchObject([{ id: "broken", reason: "failed" }]);
});

it("checks a job that the list shows late, also behind one that is dated in the future", async () => {
  app.submit("future", { dated: hour });
  app.submit("late", { listed: minute / 2 });
  app.time += minute / 4;
  app.submit("next");
  await app.run();
  app.time += minute;
  await app.run();
  expect(app.handled.toSorted()).toEqual(["future", "late", "next"]);
});

it("reports an event that is dated so late that it could be handled twice, until its time", async () => {
  app.submit("future", { dated: 30 * day, completed: 30 * day });
  app.submit("near", { dated: hour, completed: hour });
  expect(await app.run()).toMatchObject({
    handled: 1,
    leftBehind: [{ id: "future", createdAt: iso(start + 30 * day), reason: "out_of_range" }],
  });
  expect(app.handled).toEqual(["near"]);
  await app.runFor(35 * day);
  expect(app.handled).toEqual(["near", "future"]);
});

it("checks jobs that were submitted after the clock was set back, and set right again", async () => {
  await app.runFor(day);
  app.offset = 2 * day;
  await app.run();
  app.submit("while it was ahead");
  await app.run();
  app.offset = 0;
  app.time += minute;
  app.submit("afterwards");
  await app.runFor(hour, minute);
  app.offset = -hour;
  app.submit("while it was behind");
  await app.runFor(3 * hour, hour);
  app.offset = 0;
  await app.run();
  expect(app.handled.toSorted()).toEqual([
    "afterwards",
    "while it was ahead",
    "while it was behind",
  ]);
  expect(app.leftBehind).toEqual([]);
});

it("reports jobs without a time instead of handling them twice, or waiting for them", async () => {
  const job = { endedAt: start, createdAt: null, completedAt: null, listedAt: start };
  app.jobs.push({ id: "ended", ...job }, { id: "endless", ...job, endedAt: Infinity });
  app.jobs.push({ id: "without its end", ...job, createdAt: start });
  expect((await app.run()).leftBehind).toEqual([
    { id: "ended", createdAt: undefined, reason: "out_of_range" },
  ]);
  await app.runFor(5 * day);
  expect(app.leftBehind).toContainEqual({ id: "endless", createdAt: undefined, reason: "running" });
  expect(app.handled).toEqual(["without its end"]);
});

it("continues with its cursor after no call was made for longer than dedupeTtl", async () => {
  app.submit("old");
  app.time += 9 * day;
  app.submit("new");
  expect(await app.run()).toMatchObject({
    handled: 1,
    leftBehind: [{ id: "old", createdAt: iso(start), reason: "out_of_range" }],
  });
  expect(app.handled).toEqual(["new"]);
});

it("waits for the handler of a receiver with background, and counts its failure", async () => {
  app = createApp({ background: true });
  app.submit("a");
  app.failing = new Set(["a"]);
  expect(await app.run()).toMatchObject({ handled: 0, failed: 1 });
  app.failing = new Set();
  await app.runFor(hour, minute);
  expect(app.handled).toEqual(["a"]);
});

type Step = (app: ReturnType<typeof createApp>, index: number) => Promise<void> | void;

const step = fc.oneof(
  fc
    .record({
      duration: fc.constantFrom(0, minute, day, 4 * day, 9 * day, Infinity),
      dated: fc.constantFrom(0, 0, 0, hour, 2 * day, 30 * day),
      completed: fc.constantFrom(0, 0, 0, hour, 30 * day),
    })
    .map<Step>((timing) => (running, index) => {
      running.submit(`job ${index}`, timing);
    }),
  fc.constantFrom(minute, hour, day, 3 * day, 8 * day).map<Step>((time) => (running) => {
    running.time += time;
  }),
  fc.nat(20).map<Step>((index) => (running) => {
    running.failing = new Set([`job ${index}`, `job ${index + 3}`]);
  }),
  fc.constant<Step>(async (running) => void (await running.run())),
);

test.each([
  ["a clock that is set back", [0, -minute, -hour, -2 * day, -20 * day]],
  ["a correct clock", [0]],
])("no sequence throws or skips an event without a report, with %s", async (_title, offsets) => {
  const sequence = fc.array(
    fc.oneof(
      step,
      fc.constantFrom(...offsets).map<Step>((offset) => (running) => {
        running.offset = offset;
      }),
    ),
    { minLength: 5, maxLength: 40 },
  );
  await fc.assert(
    fc.asyncProperty(sequence, async (steps) => {
      const running = createApp();
      for (const [index, act] of steps.entries()) await act(running, index);
      running.offset = 0;
      running.failing = new Set();
      await running.run();
      await running.runFor(12 * day);
      const { handled, jobs, leftBehind, time } = running;
      const found = new Set([...handled, ...leftBehind.map(({ id }) => id)]);
      // A job that ends after it was left behind was reported as running.
      expect(jobs.filter(({ id, endedAt }) => endedAt <= time && !found.has(id))).toEqual([]);
      // A clock that goes on by weeks at once makes the receiver forget what it has handled.
      if (offsets.length > 1) return true;
      return handled.length === new Set(handled).size;
    }),
    { numRuns: cases(2_000), seed },
  );
});
