import { cases } from "@tryon/test-kit/cases";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import {
  startPostgres,
  startRedis,
  startSqlite,
  type StoreServer,
} from "@tryon/test-kit/store-servers";
import { describe, expect, it, onTestFinished } from "vitest";

import { startReceivers } from "./testing/receiver-processes.ts";
import type { Receivers } from "./testing/receiver-processes.ts";

const hasRedis = await isInstalled("redis");
const hasPostgres = await isInstalled("postgres");
const count = 3;
const jobs = Array.from({ length: cases(200, 2) }, (_unused, index) => `job_${index}`);
/** Ten senders, each with one event after another. More at once would exceed the time limits on a slow machine. */
const parts = Array.from({ length: 10 }, (_, index) =>
  jobs.filter((_job, at) => at % 10 === index),
);

async function open<Server extends Pick<StoreServer, "url" | "remove">>(
  start: () => Promise<Server>,
): Promise<{ server: Server; receivers: Receivers }> {
  const server = await start();
  onTestFinished(() => server.remove(), 60_000);
  const receivers = await startReceivers(server.url, count);
  onTestFinished(() => receivers.stop(), 60_000);
  return { server, receivers };
}

/** Sends each event `times` times at once to all receivers, and returns the status of each rejection. */
async function sendAll(
  receivers: Receivers,
  times: number,
  refused: number[] = [],
): Promise<readonly number[]> {
  const send = async (some: readonly string[]): Promise<void> => {
    for (const job of some) {
      const sent = Array.from({ length: times }, () =>
        receivers.send(job, (status) => refused.push(status)),
      );
      await Promise.all(sent);
    }
  };
  await Promise.all(parts.map(send));
  return refused;
}

/** Expects that no event was handled twice, except those that a receiver could not record. */
function expectHandledOnce(receivers: Receivers): void {
  const handled = receivers.named("handled");
  expect(new Set(handled)).toEqual(new Set(jobs));
  const recorded = receivers.named("recorded");
  const unrecorded = new Set(receivers.named("unrecorded"));
  const twice = jobs.filter((job) => countOf(handled, job) > 1 && !unrecorded.has(job));
  // A killed receiver has printed no record.
  expect(twice.filter((job) => countOf(recorded, job) > 1)).toEqual([]);
  expect(receivers.named("overlap")).toEqual([]);
}

function countOf(list: readonly string[], job: string): number {
  return list.filter((each) => each === job).length;
}

function tests(start: () => Promise<Pick<StoreServer, "url" | "remove">>): void {
  it("handle each of many events once, although all three receive each at once, and twice", async () => {
    const { receivers } = await open(start);
    expect(await sendAll(receivers, 2)).toEqual([]);
    expect(receivers.named("handled").toSorted()).toEqual(jobs.toSorted());
    expect(receivers.named("overlap")).toEqual([]);
  }, 60_000);

  it("handle every event although each of them is killed twice", async () => {
    const { receivers } = await open(start);
    const kills = async (): Promise<void> => {
      for (let kill = 0; kill < 2 * count; kill += 1) {
        const before = receivers.named("handled").length;
        const handled = () => receivers.named("handled").length;
        await expect.poll(handled, { interval: 10 }).toBeGreaterThan(before + 1);
        await receivers.replace(kill % count);
      }
    };
    await Promise.all([sendAll(receivers, 1), kills()]);
    expectHandledOnce(receivers);
  }, 120_000);
}

function outageTest(start: () => Promise<StoreServer>): void {
  it("respond with 500 while their server is stopped, and handle every event in the end", async () => {
    const { server, receivers } = await open(start);
    const refused: number[] = [];
    const outage = async (): Promise<void> => {
      await expect.poll(() => receivers.named("handled").length).toBeGreaterThan(50);
      await server.stop();
      await expect.poll(() => refused.filter((status) => status === 500).length).toBeGreaterThan(9);
      await server.start();
    };
    await Promise.all([sendAll(receivers, 1, refused), outage()]);
    expect(refused.filter((status) => status !== 500 && status !== 503)).toEqual([]);
    expectHandledOnce(receivers);
  }, 120_000);
}

describe.runIf(hasRedis)("receivers on one Redis", () => {
  tests(startRedis);
  outageTest(startRedis);
});

describe.runIf(hasPostgres)("receivers on one PostgreSQL", () => {
  tests(startPostgres);
  outageTest(startPostgres);
});

describe("receivers on one SQLite file", () => {
  tests(startSqlite);
});
