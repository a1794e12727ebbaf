import {
  chmodSync,
  copyFileSync,
  existsSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";

import * as fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { cases } from "@tryon/test-kit/cases";

import type { Engine } from "../engine/engine.ts";
import { stockEngine } from "../engine/stock.ts";
import { createMock, type Mock, type MockOptions } from "../mock.ts";
import type { MockStore, SavedRecord } from "../store/state-log.ts";
import { caller, finished, manualServer } from "../../test/caller.ts";
import { collectGarbage } from "../../test/collect-garbage.ts";
import { imagesWithin } from "../../test/image-traces.ts";
import { asset, assetBytes } from "../../test/images.ts";
import { observed } from "../../test/observed.ts";
import { receiver } from "../../test/receiver.ts";
import { stateFile } from "../../test/temporary-files.ts";
import { runSteps, step, steppedServer } from "../../test/steps.ts";
import { compositeEngine, createSqliteStore } from "./index.ts";

const hook = "https://shop.example/hook";

function open(file: string, options: MockOptions = {}): Mock {
  const mock = createMock({ clock: "manual", ...options, store: createSqliteStore(file) });
  onTestFinished(() => mock.close());
  return mock;
}

/** Copies the file as it is, which is what a killed process leaves. */
function killed(file: string): string {
  const copy = stateFile();
  for (const end of ["", "-wal"]) {
    if (existsSync(`${file}${end}`)) copyFileSync(`${file}${end}`, `${copy}${end}`);
  }
  return copy;
}

/** Engine with the images of the stock engine, which are stored as those of every other one. */
const ownEngine: Engine = { ...stockEngine(), name: "own" };

function query(file: string, sql: string) {
  const database = new DatabaseSync(killed(file));
  onTestFinished(() => database.close());
  return database.prepare(sql).all();
}

function change(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

const images = (file: string) =>
  query(file, "SELECT count(*) AS images, sum(length(bytes)) AS bytes FROM images")[0];

function liveMemory(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const modeOf = (path: string): number => statSync(path).mode % 0o1000;

/** Creates a server, and a function that starts another with the state that a kill leaves. */
function setUp(options: MockOptions = {}) {
  const file = stateFile();
  const mock = open(file, options);
  const restart = (): Mock => open(killed(file), options);
  return { file, mock, call: caller(mock), restart };
}

describe("a server with the state of a killed one", () => {
  test("takes at most 800 bytes of memory for a job with its charge", async () => {
    const { mock, call, restart } = setUp();
    const { token } = await mock.createKey({ credits: 1e6, rateLimitPerMinute: 1e6 });
    const count = 4_000;
    for (let sent = 0; sent < count; sent += 100) {
      await Promise.all(Array.from({ length: 100 }, () => caller(mock, token).submit()));
      await mock.clock.advance("2s");
    }
    // Compiles what a start runs.
    restart().close();
    const before = liveMemory();
    const next = restart();
    expect((liveMemory() - before) / count).toBeLessThan(800);
    expect((await caller(next, token).list()).body.jobs).toHaveLength(20);
    expect((await call.list()).body.jobs).toEqual([]);
  });

  test("returns the same image, under the URL that was signed before", async () => {
    const { mock, call, restart } = setUp();
    await call.submit();
    const { result_url: url } = await finished(mock, call);
    const bytes = await (await mock.fetch(String(url))).bytes();
    const next = restart();
    expect(await (await next.fetch(String(url))).bytes()).toEqual(bytes);
    const again = restart();
    expect(await (await again.fetch(String(url))).bytes()).toEqual(bytes);
  });

  test("repeats the delivery attempt that was in progress, and makes later retries in time", async () => {
    const received: (readonly [string, number])[] = [];
    const record = (name: string, status: number) => (mock: () => Mock) => async () => {
      received.push([name, (mock().clock.now() - Date.UTC(2026, 0, 1)) / 1_000]);
      return status === 0 ? new Promise<Response>(() => undefined) : new Response(null, { status });
    };
    const file = stateFile();
    const start = (from: string, name: string, status: number): Mock => {
      const mock: Mock = open(from, { sendWebhook: record(name, status)(() => mock) });
      return mock;
    };
    const first = start(file, "first", 0);
    await caller(first).submit({ webhook_url: hook });
    await first.clock.advance("3s");
    const secondFile = killed(file);
    const second = start(secondFile, "second", 500);
    await second.clock.advance("1s");
    const third = start(killed(secondFile), "third", 200);
    await third.clock.runAll();
    expect(received).toEqual([
      ["first", 1.5],
      ["second", 3],
      ["second", 4],
      ["third", 8],
    ]);
    expect(await third.webhooks.deliveries()).toMatchObject([
      { state: "delivered", attempts: [{ status: 500 }, { status: 500 }, { status: 200 }] },
    ]);
  });

  test("responds to a repeated synchronous request under its idempotency key, for one charge", async () => {
    const { mock, call, restart } = setUp();
    const key = { "idempotency-key": "order-1" };
    void call.submit({ wait: true }, key).catch(String);
    await mock.clock.advance("1s");
    const next = restart();
    const repeated = caller(next).submit({ wait: true }, key);
    await next.clock.advance("1s");
    expect((await repeated).body.status).toBe("succeeded");
    expect((await repeated).headers.get("idempotent-replayed")).toBe("true");
    expect((await next.ledger(next.keys.live))?.entries.map(({ credits }) => credits)).toEqual([
      1_000, -8,
    ]);
  });

  test("repeats a refusal that was stored under an idempotency key", async () => {
    const { mock, call, restart } = setUp({ options: { refusedKey: "kept" }, credits: 5 });
    const key = { "idempotency-key": "order-1" };
    const first = await call.submit({}, key);
    expect(first.status).toBe(402);
    const next = restart();
    const repeated = await caller(next).submit({}, key);
    expect([repeated.status, repeated.body]).toEqual([402, first.body]);
    expect(mock.clock.now()).toBe(next.clock.now());
  });

  test("fails a job whose image was not rendered, and refunds those that were not started", async () => {
    let prepared = 0;
    const never = new Promise<never>(() => undefined);
    const rendering = setUp({ clock: "real", engine: { name: "slow", render: () => never } });
    const { body } = await rendering.call.submit();
    const next = rendering.restart();
    await next.clock.advance("2s");
    expect((await caller(next).poll(body.job_id)).body).toMatchObject({
      status: "failed",
      error_message: "storage_failed",
    });
    const preparing = setUp({
      clock: "real",
      engine: {
        name: "starting",
        prepare() {
          prepared += 1;
          return never;
        },
        render: () => never,
      },
      concurrency: 1,
      options: { reportQueued: true },
    });
    const key = { "idempotency-key": "order-1" };
    void preparing.call.submit({}, key).catch(String);
    void preparing.call.submit().catch(String);
    await expect.poll(() => prepared, { interval: 1 }).toBe(2);
    // Its response comes after the charges are saved.
    await preparing.call.account();
    const after = preparing.restart();
    expect((await caller(after).list()).body.jobs).toEqual([]);
    expect((await caller(after).account()).body.credits_remaining).toBe(1_000);
    const ledger = await after.ledger(after.keys.live);
    const causes = ledger?.entries.map(({ cause }) => cause);
    expect(causes).toEqual(["grant", "tryon", "tryon", "refund", "refund"]);
  });

  test("starts as many waiting jobs as it has slots by now", async () => {
    const { file, call } = setUp({ concurrency: 1 });
    for (let count = 0; count < 4; count += 1) await call.submit();
    const next = open(killed(file), { concurrency: 3 });
    await next.clock.advance("1.5s");
    const { jobs } = (await caller(next).list()).body;
    expect(jobs.map(({ status }) => status)).toEqual([
      "running",
      "succeeded",
      "succeeded",
      "succeeded",
    ]);
  });

  test("continues with the time of a clock that was moved", async () => {
    const { mock, call, restart } = setUp({ clock: "real", latency: "1h" });
    const { body } = await call.submit();
    await mock.clock.advance("25h");
    const next = restart();
    expect(next.clock.now() - Date.now()).toBeGreaterThan(24 * 3_600_000);
    expect((await caller(next).poll(body.job_id)).body.status).toBe("succeeded");
    const again = restart();
    expect(again.clock.now() - Date.now()).toBeLessThan(26 * 3_600_000);
  });

  test("has no submitted images in its file", async () => {
    const engine = await compositeEngine();
    const { file, mock, call } = setUp({ concurrency: 1, engine });
    const sent = {
      person_url: null,
      garment_urls: [],
      person_image_b64: asset("person.jpg"),
      garment_images_b64: [asset("shirt.png")],
    };
    for (let count = 0; count < 3; count += 1)
      await call.submit(sent, { "idempotency-key": `o-${count}` });
    await mock.clock.advance("2s");
    const copy = killed(file);
    mock.close();
    const content = [file, copy, `${copy}-wal`].map((path) => readFileSync(path, "latin1"));
    expect(content.join("").length).toBeGreaterThan(1_000_000);
    expect(imagesWithin(content)).toEqual([]);
    // The search finds the photo where it is.
    expect(imagesWithin([Buffer.from(assetBytes("person.jpg")).toString("latin1")])).not.toEqual(
      [],
    );
  });
});

// Planned outcomes end with the process.
const kept = step.filter(({ kind }) => kind !== "next");

test("after any steps and kills, a server has the state and the future of one that runs on", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(kept, { maxLength: 6 }), { minLength: 2, maxLength: 3 }),
      fc.constantFrom(1, 2, 100),
      async (parts, concurrency) => {
        const options = { reportQueued: true, refund: "failed" } as const;
        let file = stateFile();
        const start = (store?: MockStore): Mock =>
          steppedServer({ concurrency, options, ...(store && { store }) });
        let killable = start(createSqliteStore(file));
        const steady = start();
        for (const steps of parts) {
          for (const mock of [killable, steady]) await runSteps(mock, steps);
          file = killed(file);
          killable.close();
          killable = start(createSqliteStore(file));
          expect(await seen(killable)).toEqual(await seen(steady));
        }
        await killable.clock.advance("30s");
        await steady.clock.advance("30s");
        expect(await seen(killable)).toEqual(await seen(steady));
        killable.close();
      },
    ),
    { numRuns: cases(200) },
  );
});

/** Returns all that requests show, with ids and signatures replaced by their order. */
async function seen(mock: Mock): Promise<unknown> {
  const names = new Map<string, string>();
  const text = JSON.stringify({ ...((await observed(mock)) as object), pending: undefined });
  return JSON.parse(
    text.replaceAll(
      /(?:job|dlv|pi|key)_[0-9A-Za-z]{16,}|(?:signature=|sha256=)[0-9a-f]+/g,
      (id) => {
        const name = names.get(id) ?? `id-${names.size}`;
        names.set(id, name);
        return name;
      },
    ),
  );
}

describe("a state file", () => {
  test("is as at the start after a reset, and as in a snapshot after a restore", async () => {
    const { mock, call, restart } = setUp({ seed: "demo" });
    const first = (await call.submit()).body.job_id;
    const snapshot = await mock.snapshot();
    await call.submit();
    await mock.restore(snapshot);
    const restored = (await caller(restart()).list()).body.jobs;
    expect(restored.map(({ job_id: id }) => id)).toEqual([first]);
    await mock.clock.advance("1h");
    await mock.reset();
    const next = restart();
    expect((await caller(next).list()).body.jobs).toEqual([]);
    expect(next.clock.now()).toBe(Date.UTC(2026, 0, 1));
    expect((await call.submit()).body.job_id).toBe(first);
    expect((await caller(restart()).list()).body.jobs).toHaveLength(1);
  });

  test("does not change with work that ends after a reset", async () => {
    let end: (() => void) | undefined;
    const { mock, call, restart } = setUp({
      clock: "real",
      engine: {
        name: "slow",
        render: () => new Promise((_resolve, reject) => (end = () => reject(new Error("no")))),
      },
    });
    await call.submit();
    await expect.poll(() => end, { interval: 1 }).toBeDefined();
    await mock.reset();
    end?.();
    await mock.clock.advance("2s");
    expect((await caller(restart()).list()).body.jobs).toEqual([]);
  });

  test("keeps accounts, keys and purchases that were created", async () => {
    const { mock, restart } = setUp();
    const tenant = await mock.tenant({ credits: 40 });
    const order = { pack_slug: "demo", shared_payment_granted_token: "spt_processing_1" };
    const { body } = await caller(mock, tenant.apiKey).purchase(order);
    const next = restart();
    await next.settlePayment(body.payment_intent_id);
    expect((await caller(next, tenant.apiKey).account()).body.credits_remaining).toBe(140);
  });

  test("belongs to one server at a time", () => {
    const { file, mock } = setUp();
    expect(() => createSqliteStore(file)).toThrow(/another server uses it\. Stop that server/);
    mock.close();
    const store = createSqliteStore(file);
    const next = createMock({ clock: "manual", store });
    expect(() => createMock({ clock: "manual", store })).toThrow("create a store for each server");
    next.close();
  });

  test("needs the mode of its clock", () => {
    const { file, mock } = setUp({ clock: "real" });
    mock.close();
    const store = createSqliteStore(file);
    expect(() => createMock({ clock: "manual", store })).toThrow(
      'clock must be "real", as in the state',
    );
    store.close();
  });

  test("is for its owner only, whatever its mode was, also while it changes", async () => {
    const { file, call } = setUp();
    await call.submit();
    expect([file, `${file}-wal`].map(modeOf)).toEqual([0o600, 0o600]);
    const copy = killed(file);
    for (const path of [copy, `${copy}-wal`]) chmodSync(path, 0o666);
    await caller(open(copy)).submit();
    expect([copy, `${copy}-wal`].map(modeOf)).toEqual([0o600, 0o600]);
  });

  test.each(["", "-wal"])("is not behind a link: %j", (end) => {
    const [file, other] = [stateFile(), stateFile()];
    writeFileSync(other, "");
    symlinkSync(other, file + end);
    expect(() => createSqliteStore(file)).toThrow(
      `Cannot open the state file ${file}: it is a link, a folder or another special file. Use another file.`,
    );
    expect(readFileSync(other, "utf8")).toBe("");
  });

  test("keeps the mode of a file that is not one", () => {
    const file = stateFile();
    writeFileSync(file, "x".repeat(10_000));
    chmodSync(file, 0o644);
    expect(() => createSqliteStore(file)).toThrow(/not a SQLite database/);
    expect(modeOf(file)).toBe(0o644);
  });

  test("must be one of a reference server", () => {
    const file = stateFile();
    expect(() => createSqliteStore(dirname(file))).toThrow(/^Cannot open the state file .*folder/);
    expect(() => createSqliteStore(`${file}/x`)).toThrow(/its folder does not exist/);
    writeFileSync(file, "x".repeat(10_000));
    expect(() => createSqliteStore(file)).toThrow(/not a SQLite database/);
    const other = stateFile();
    change(other, "CREATE TABLE orders (id TEXT)");
    expect(() => createSqliteStore(other)).toThrow(/is not a state file of this version/);
    expect(new DatabaseSync(other).prepare("SELECT * FROM orders").all()).toEqual([]);
  });

  test("has no stock image, and other images until they are purged", async () => {
    const stock = setUp();
    await finished(stock.mock, stock.call);
    expect(images(stock.file)).toEqual({ images: 0, bytes: null });
    const { file, mock, call, restart } = setUp({ engine: ownEngine });
    const { result_bytes: bytes } = await finished(mock, call);
    expect(images(file)).toEqual({ images: 1, bytes });
    await mock.clock.advance("30d");
    await call.account();
    expect(images(file)).toEqual({ images: 0, bytes: null });
    const [job] = (await caller(restart()).list()).body.jobs;
    expect(job).toMatchObject({ result_url: null, result_bytes: bytes, result_width: 768 });
  });

  test("loses at most ten expired idempotency records with each later submission", async () => {
    const { file, mock, call } = setUp();
    const submit = (key: string) => call.submit({}, { "idempotency-key": key });
    const keys = (): readonly string[] =>
      query(file, "SELECT id FROM records WHERE kind = 'idempotency'").map(
        ({ id }) => String(id).split("\n")[1] ?? "",
      );
    for (const key of "abcdefghijkla") await submit(key);
    await mock.clock.advance("24h");
    await submit("a");
    expect(keys()).toEqual(["l", "a"]);
    await submit("m");
    expect(keys()).toEqual(["a", "m"]);
  });

  test("of version 1 is read, with its images", async () => {
    const { file, mock, call } = setUp({ engine: ownEngine });
    const { result_url: url, result_bytes: length } = await finished(mock, call);
    const bytes = await (await mock.fetch(String(url))).bytes();
    mock.close();
    change(file, "UPDATE records SET record = json_remove(record, '$.result.length')");
    change(file, "PRAGMA user_version = 1");
    const next = open(file);
    expect(await (await next.fetch(String(url))).bytes()).toEqual(bytes);
    expect((await caller(next).list()).body.jobs).toMatchObject([{ result_bytes: length }]);
  });

  test.each(["UPDATE records SET record = '{'", "DELETE FROM images"])(
    "that is damaged is refused: %s",
    async (damage) => {
      const { file, mock, call } = setUp({ engine: ownEngine });
      await call.submit();
      await finished(mock, call);
      mock.close();
      change(file, damage);
      const store = createSqliteStore(file);
      expect(() => createMock({ store, clock: "manual" })).toThrow(/is damaged\. Use another file/);
      store.close();
    },
  );
});

test("requests get a 500 while the store cannot save, and a repeated one is charged once", async () => {
  const saved: SavedRecord[] = [];
  let isFull = false;
  const store: MockStore = {
    read: () => [],
    write: (changes) => {
      if (isFull) throw new Error("disk full");
      saved.push(...changes);
    },
    replace: () => undefined,
    close: () => undefined,
  };
  const hooks = receiver();
  const { mock, call } = manualServer({ store, sendWebhook: hooks.send });
  await call.account();
  isFull = true;
  const key = { "idempotency-key": "order-1" };
  expect((await call.submit({}, key)).status).toBe(500);
  expect((await call.account()).status).toBe(500);
  expect(saved.some(({ kind }) => kind === "jobs")).toBe(false);
  isFull = false;
  const { status, body } = await call.submit({}, key);
  expect(status).toBe(200);
  expect(saved.flatMap(({ kind, id }) => (kind === "jobs" ? id : []))).toEqual([body.job_id]);
  const ledger = await mock.ledger(mock.keys.live);
  expect(ledger?.entries.map(({ credits }) => credits)).toEqual([1_000, -8]);
  isFull = true;
  await call.submit();
  expect(() => mock.close()).toThrow("disk full");
});
