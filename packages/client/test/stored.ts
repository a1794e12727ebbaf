/*
 * Data in the folder `stored`, as the release before stores had versions wrote it: five items of the batch
 * "spring-2027", named after their states; the quota of the user "ada", who has used two try-ons of a day; three saved
 * jobs; four try-ons of page sessions.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";

import { connectIoRedis, connectPostgres, connectSqlite } from "@tryon/test-kit/store-clients";
import type { Journal, SharedJournal } from "@tryon/client/batch";

import { createQuota, type QuotaStore } from "../src/proxy/index.ts";
import { createPostgresQuotaStore, openPostgresJournal } from "../src/stores/postgres.ts";
import { createRedisQuotaStore, openRedisJournal } from "../src/stores/redis.ts";
import { createSqliteQuotaStore, openSqliteJournal } from "../src/stores/sqlite.ts";
import { order, ordersBatch, upTo } from "./memory-journal.ts";
import { createRefusalProxy } from "./refusal-proxy.ts";
import { createService } from "./service.ts";

const name = "spring-2027";
const states = ["succeeded", "failed", "refused", "submitted", "sending"];

export interface StoredData {
  readonly openJournal: () => Promise<SharedJournal>;
  readonly createQuotaStore: () => QuotaStore;
  /** Changes the version of the journal or of the counters. */
  readonly setVersion: (of: "journal" | "quota", version: number) => Promise<unknown>;
  readonly close: () => Promise<unknown>;
}

export function readStored(file: string): string {
  return readFileSync(join(import.meta.dirname, "stored", file), "utf8");
}

const versionUpdates = {
  journal: (version: number) => `UPDATE tryon_journal SET state = '${version}' WHERE journal = ''`,
  quota: (version: number) => `UPDATE tryon_quota SET count = ${version} WHERE key = 'version'`,
};

/** Connects to an empty database, and writes the data into it. */
export const storedIn: Readonly<
  Record<"redis" | "postgres" | "sqlite", (url: string) => Promise<StoredData>>
> = {
  redis: async (url) => {
    const { client, close } = await connectIoRedis(url);
    // The file has commands.
    for (const [command = "", ...rest] of JSON.parse(readStored("redis.json")) as string[][]) {
      await client.call(command, ...rest);
    }
    const keys = { journal: `tryon:journal:{${name}}:version`, quota: "tryon:quota:version" };
    return {
      openJournal: () => openRedisJournal(client, name),
      createQuotaStore: () => createRedisQuotaStore(client),
      setVersion: (of, version) => client.set(keys[of], version),
      close,
    };
  },
  postgres: async (url) => {
    const { client, close } = await connectPostgres(url);
    await client.query(readStored("postgres.sql"));
    return {
      openJournal: () => openPostgresJournal(client, name, { createTable: true }),
      createQuotaStore: () => createPostgresQuotaStore(client, { createTable: true }),
      setVersion: (of, version) => client.query(versionUpdates[of](version)),
      close,
    };
  },
  sqlite: async (file) => {
    const { client, close } = await connectSqlite(file);
    client.exec(readStored("sqlite.sql"));
    return {
      openJournal: () => openSqliteJournal(client, name, { createTable: true }),
      createQuotaStore: () => createSqliteQuotaStore(client, { createTable: true }),
      setVersion: async (of, version) => client.exec(versionUpdates[of](version)),
      close,
    };
  },
};

/** Counts the calls of a journal that have not ended. */
function track(journal: Journal) {
  let calls = 0;
  const end = (): void => void (calls -= 1);
  const tracked = new Proxy(journal, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== "function") return member;
      return (...given: unknown[]): unknown => {
        const result: unknown = Reflect.apply(member, target, given);
        if (!(result instanceof Promise)) return result;
        calls += 1;
        result.then(end, end);
        return result;
      };
    },
  });
  return { tracked, isBusy: () => calls > 0 };
}

/** Runs the batch of the journal again, with a limit of the credits. Returns its states, the outcome of each item, and the number of submissions. */
export async function continueBatch(journal: Journal, maxCredits?: number) {
  const service = createService();
  const listed: string[] = [];
  for await (const { id, state } of journal.list()) if (id === state) listed.push(state);
  const orders = states.map((state) => order(state));
  const budget = maxCredits === undefined ? undefined : { maxCredits };
  const { tracked, isBusy } = track(journal);
  const running = upTo(ordersBatch(service, orders, tracked, { budget }));
  const state = { isRunning: true };
  void running.finally(() => (state.isRunning = false));
  while (state.isRunning) {
    await setImmediate();
    // The clock would pass the deadlines of items that wait for a database.
    if (!isBusy()) await service.mock.clock.advance("100ms");
  }
  const { read, error } = await running;
  const outcomes = read.map(({ id, result, error: reason, fromJournal }) => [
    id,
    [result?.job.status ?? Reflect.get(Object(reason), "code"), fromJournal],
  ]);
  const submissions = service.submissions().length;
  return { error, states: listed.toSorted(), submissions, ...Object.fromEntries(outcomes) };
}

/** Result of {@link continueBatch}: only the refused item is sent. */
export const continued = {
  error: undefined,
  states: states.toSorted(),
  submissions: 1,
  succeeded: ["succeeded", true],
  failed: ["job_failed", true],
  refused: ["succeeded", false],
  submitted: ["not_found", false],
  sending: ["outcome_unknown", false],
};

/** Reports four refusals of the user, one of them twice. Returns which were counted, and the statuses of submissions before and after. */
export async function refuseFour(store: QuotaStore) {
  const proxy = createRefusalProxy({ store, clock: { now: () => 1_800_000_000_000 } });
  const results: unknown[] = [await proxy.submit("ada")];
  for (const id of ["job_1", "job_2", "job_2", "job_3"])
    results.push(await proxy.report("ada", id));
  return [...results, await proxy.submit("ada")];
}

/** Submits try-ons of the user under a key that has been counted, and under another one. */
export async function submitTwo(store: QuotaStore) {
  const limit = createQuota({ perDay: 2, store, clock: { now: () => 1_800_000_000_000 } });
  const request = new Request("https://shop.example");
  const submit = (idempotencyKey: string) =>
    limit({ user: { id: "ada" }, kind: "submit", request, idempotencyKey });
  return [await submit("one"), await submit("three")];
}
