import { isInstalled } from "@tryon/test-kit/installed-programs";
import { startRedis, type StoreServer } from "@tryon/test-kit/store-servers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { startPostgresWithTable } from "./testing/postgres-with-table.ts";
import { startReceivers } from "./testing/receiver-processes.ts";
import type { Receivers } from "./testing/receiver-processes.ts";

const hasRedis = await isInstalled("redis");
const hasPostgres = await isInstalled("postgres");
const jobs = Array.from({ length: 200 }, (_unused, index) => `job_${index}`);
/** Ten senders, each with one event after another: more at once would wait longer than a slow machine has time for. */
const parts = Array.from({ length: 10 }, (_, index) =>
  jobs.filter((_job, at) => at % 10 === index),
);

function onServer(start: () => Promise<StoreServer>): void {
  let server: StoreServer;
  let receivers: Receivers;
  beforeEach(async () => {
    server = await start();
    receivers = await startReceivers(server.url, 3);
  }, 60_000);
  afterEach(async () => {
    await receivers.stop();
    await server.remove();
  }, 60_000);

  /** Sends each event `times` times at once, and notes the status of each refusal. */
  const sendAll = async (times: number, refused: number[]): Promise<void> => {
    const send = async (some: readonly string[]): Promise<void> => {
      for (const job of some) {
        const sent = Array.from({ length: times }, () =>
          receivers.send(job, (status) => refused.push(status)),
        );
        await Promise.all(sent);
      }
    };
    await Promise.all(parts.map(send));
  };

  it("handle each of 200 events once, though each comes to all three at once, and twice", async () => {
    const refused: number[] = [];
    await sendAll(2, refused);
    expect(refused).toEqual([]);
    expect(receivers.named("handled").toSorted()).toEqual(jobs.toSorted());
    expect(receivers.named("overlap")).toEqual([]);
  }, 60_000);

  it("answer 500 while it is gone, and handle every event in the end, none twice but those it was not told of", async () => {
    const refused: number[] = [];
    const outage = async (): Promise<void> => {
      await expect.poll(() => receivers.named("handled").length).toBeGreaterThan(50);
      await server.stop();
      await expect.poll(() => refused.filter((status) => status === 500).length).toBeGreaterThan(9);
      await server.start();
    };
    await Promise.all([sendAll(1, refused), outage()]);
    expect(refused.filter((status) => status !== 500 && status !== 503)).toEqual([]);

    const handled = receivers.named("handled");
    expect(new Set(handled)).toEqual(new Set(jobs));
    const untold = new Set(receivers.named("untold"));
    const twice = handled.filter((job, index) => handled.indexOf(job) !== index);
    expect(twice.filter((job) => !untold.has(job))).toEqual([]);
    expect(receivers.named("overlap")).toEqual([]);
  }, 120_000);
}

describe.runIf(hasRedis)("receivers on one Redis", () => {
  onServer(startRedis);
});

describe.runIf(hasPostgres)("receivers on one PostgreSQL", () => {
  onServer(startPostgresWithTable);
});
