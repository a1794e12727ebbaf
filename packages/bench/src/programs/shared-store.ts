// Works on items in a store that several processes share: as a batch, with the journal alone, or as a queue of BullMQ.
// Also continues a batch whose items have all ended, and deletes expired events.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";

import { TryOn } from "@tryon/client";
import { batch, type Journal, type JournalEntry, type SharedJournal } from "@tryon/client/batch";
import { openJournal as openFileJournal } from "@tryon/client/node";
import { openPostgresJournal, type PostgresClient } from "@tryon/client/postgres";
import { openRedisJournal, type IoRedisClient } from "@tryon/client/redis";
import { openSqliteJournal } from "@tryon/client/sqlite";
import { createPostgresStore } from "@tryon/webhooks/postgres";
import { createSqliteStore } from "@tryon/webhooks/sqlite";

import { benchKey } from "../candidates/fixtures.ts";

/** Used parts of `pg`, `ioredis`, `bullmq` and `p-queue`. The workspace has no types of the versions that are installed here. */
interface Peers {
  readonly Pool: new (options: { readonly connectionString: string }) => PostgresClient;
  readonly Redis: new (url: string, options: object) => IoRedisClient;
  readonly default: new (options: { readonly concurrency: number }) => {
    add(work: () => Promise<unknown>): Promise<unknown>;
  };
  readonly Queue: new (
    name: string,
    options: object,
  ) => {
    add(name: string, data: object, options: object): Promise<unknown>;
  };
  readonly Worker: new (
    name: string,
    work: (job: { readonly data: { readonly id: string } }) => Promise<unknown>,
    options: object,
  ) => { on(event: "completed", listener: () => void): unknown };
}

const importPeer = async (name: string): Promise<Peers> => (await import(name)) as Peers;

const [kind = "", store = "", storeUrl = "", baseUrl = "", name = "", length = "", startAt = "0"] =
  process.argv.slice(2);
const count = Number(length);
const concurrency = 4;
let statements = 0;

/** Figures of a kind beside those of all. */
const figures: Record<string, number> = {};

/** Opens the journal, and counts the statements that it runs. */
async function openJournal(): Promise<SharedJournal> {
  if (store === "postgres") {
    const { Pool } = await importPeer("pg");
    const pool = new Pool({ connectionString: storeUrl });
    const counted: PostgresClient = {
      query: (text, values) => {
        statements += 1;
        return pool.query(text, values);
      },
    };
    return openPostgresJournal(counted, name, { createTable: true });
  }
  if (store === "redis") {
    const { Redis } = await importPeer("ioredis");
    const redis = new Redis(storeUrl, {});
    const counted: IoRedisClient = {
      call: (...args) => {
        statements += 1;
        return redis.call(...args);
      },
      eval: (...args) => redis.eval(...args),
    };
    return openRedisJournal(counted, name);
  }
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(storeUrl, { timeout: 10_000 });
  return openSqliteJournal(
    {
      exec: (sql) => database.exec(sql),
      prepare: (sql) => {
        const statement = database.prepare(sql);
        return {
          all: (...values) => {
            statements += 1;
            return statement.all(...values);
          },
        };
      },
    },
    name,
    { createTable: true },
  );
}

const ids = Array.from({ length: count }, (_, index) => `sku-${index}`);

const inputOf = (id: string) => ({
  person: "https://shop.example/ada.jpg",
  garments: ["https://shop.example/shirt.png"] as const,
  metadata: { sku: id },
});

/** Submits a try-on with `fetch`, and returns its job. */
async function submit(id: string): Promise<unknown> {
  const response = await fetch(`${baseUrl}/api/v1/tryon`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${benchKey.token}`,
      "content-type": "application/json",
      "idempotency-key": id,
    },
    body: JSON.stringify({ ...inputOf(id), wait: true }),
  });
  if (!response.ok) throw new Error(`The service responded with ${response.status}.`);
  return response.json();
}

/** Adds jobs to a queue, and processes them. */
function queueOf(work: (id: string) => Promise<unknown>): () => Promise<() => Promise<number>> {
  return async () => {
    const [{ Redis }, { Queue, Worker }] = [
      await importPeer("ioredis"),
      await importPeer("bullmq"),
    ];
    const connect = () => new Redis(storeUrl, { maxRetriesPerRequest: null });
    const queue = new Queue(name, { connection: connect() });
    return async () => {
      const done = Promise.withResolvers<void>();
      let ended = 0;
      const connection = connect();
      const worker = new Worker(name, ({ data }) => work(data.id), { connection, concurrency });
      worker.on("completed", () => {
        if ((ended += 1) === count) done.resolve();
      });
      const left = ids.values();
      const add = async (): Promise<void> => {
        for (const id of left) await queue.add("item", { id }, { jobId: id });
      };
      await Promise.all(Array.from({ length: concurrency }, add));
      await done.promise;
      return count;
    };
  };
}

/** Ends all items of a batch, and returns the function that continues it. */
async function prepareRestart(): Promise<() => Promise<number>> {
  const path = join(mkdtempSync(join(tmpdir(), "tryon-restart-")), "journal.ndjson");
  const tryon = new TryOn({
    apiKey: benchKey.token,
    baseUrl: "http://localhost",
    fetch: async () => Response.json({ job_id: "job_1", status: "succeeded", cost_credits: 8 }),
  });
  const runAll = async (journal: Journal): Promise<number> => {
    let ended = 0;
    for await (const { error } of batch(tryon, ids, { id: (id) => id, input: inputOf, journal })) {
      if (error) throw error;
      ended += 1;
    }
    return ended;
  };
  if (store !== "file") {
    const journal = await openJournal();
    await runAll(journal);
    return () => runAll(journal);
  }
  const first = await openFileJournal(path);
  await runAll(first);
  await first.close();
  return async () => {
    await using journal = await openFileJournal(path);
    return await runAll(journal);
  };
}

/** Inserts expired events, and returns the function that deletes them. */
async function prepareCleanup(): Promise<() => Promise<number>> {
  const key = `'"msg_' || i || '"'`;
  const series = `WITH RECURSIVE series(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM series WHERE i < ${count})`;
  const insert = `${series} INSERT INTO tryon_events (key, expires_at) SELECT ${key}, 1.0 * i FROM series`;
  const options = { createTable: true };
  const open = async () => {
    if (store === "postgres") {
      const { Pool } = await importPeer("pg");
      const pool = new Pool({ connectionString: storeUrl });
      const events = createPostgresStore(pool, options);
      await events.deleteExpired();
      await pool.query(insert, []);
      return events;
    }
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(storeUrl);
    const events = createSqliteStore(database, options);
    database.exec("PRAGMA synchronous = NORMAL");
    await events.deleteExpired();
    database.exec(insert);
    return events;
  };
  const events = await open();
  return async () => {
    const delays = monitorEventLoopDelay({ resolution: 1 });
    delays.enable();
    const before = process.memoryUsage.rss();
    const deleted = await events.deleteExpired();
    figures["memory"] = process.memoryUsage.rss() - before;
    figures["block"] = delays.max / 1e6;
    return deleted;
  };
}

const kinds: Readonly<Record<string, () => Promise<() => Promise<number>>>> = {
  batch: async () => {
    const journal = store === "memory" ? undefined : await openJournal();
    const tryon = new TryOn({ apiKey: benchKey.token, baseUrl });
    return async () => {
      let own = 0;
      const items = batch(tryon, ids, {
        id: (id) => id,
        input: inputOf,
        ...(journal && { journal }),
        concurrency,
        budget: { maxCredits: 8 * count },
      });
      for await (const { error, fromJournal } of items) {
        if (error) throw error;
        if (!fromJournal) own += 1;
      }
      return own;
    };
  },
  journal: async () => {
    const journal = await openJournal();
    await journal.total?.(0);
    return async () => {
      const queue = ids.values();
      const work = async (): Promise<void> => {
        for (const id of queue) {
          await journal.claim(id, "bench");
          const entry: JournalEntry = {
            id,
            state: "sending",
            idempotencyKey: "5e".repeat(32),
            digest: "5e".repeat(32),
            sync: true,
            size: "1K",
            credits: 8,
            sentAt: 1_800_000_000_000,
          };
          await journal.putWithin?.(entry, "bench", 8 * count);
          await journal.putClaimed({ ...entry, state: "succeeded" }, "bench");
        }
      };
      await Promise.all(Array.from({ length: concurrency }, work));
      return count;
    };
  },
  restart: prepareRestart,
  cleanup: prepareCleanup,
  bullmq: queueOf(async () => undefined),
  "bullmq-fetch": queueOf(submit),
  "p-queue-fetch": async () => {
    const { default: PQueue } = await importPeer("p-queue");
    return async () => {
      const queue = new PQueue({ concurrency });
      const results = await Promise.all(ids.map((id) => queue.add(() => submit(id))));
      return results.length;
    };
  },
};

const prepare = kinds[kind];
if (prepare === undefined) throw new RangeError(`No kind ${kind}.`);
const run = await prepare();
await new Promise((resolve) => setTimeout(resolve, Math.max(0, Number(startAt) - Date.now())));
statements = 0;
const cpu = process.cpuUsage();
const startedAt = Date.now();
const own = await run();
const { user, system } = process.cpuUsage(cpu);
const endedAt = Date.now();
const result = { own, startedAt, endedAt, cpu: user + system, statements, ...figures };
process.stdout.write(JSON.stringify({ result }), () => process.exit());
