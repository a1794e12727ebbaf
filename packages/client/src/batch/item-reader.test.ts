import { setImmediate } from "node:timers/promises";

import { expect, it } from "vitest";

import { makeDigestsInstant } from "../../test/instant-digests.ts";
import { openDatabase, upTo } from "../../test/memory-journal.ts";
import { createService, input } from "../../test/service.ts";
import { batch, type SharedJournal } from "./index.ts";

makeDigestsInstant();

const skus = Array.from({ length: 200 }, (_, index) => `sku-${index}`);

/** Opens a journal in which a batch has ended the items, and counts its lookups. */
async function openEnded(ended: readonly string[] = skus) {
  const service = createService({ latency: 50, options: { syncCut: "off" } });
  const { token } = await service.mock.createKey({ credits: 10_000, rateLimitPerMinute: 1e6 });
  const open = openDatabase(service);
  const run = async (
    inputs: Iterable<string> | AsyncIterable<string>,
    changed: Partial<SharedJournal> = {},
    options: { readonly budget?: { readonly maxCredits: number } } = {},
  ) => {
    const journal = { ...(await open()), ...changed };
    const items = batch(service.client({ apiKey: token }), inputs, {
      id: (sku) => {
        if (sku === "broken") throw new TypeError("no id");
        return sku;
      },
      input: (sku) => ({ ...input, metadata: { sku } }),
      journal,
      ...options,
    });
    const { read, error } = await service.run(upTo(items));
    return { read, error, ids: read.map(({ id }) => id) };
  };
  const { error } = await run(ended);
  expect(error).toBeUndefined();
  service.sent.length = 0;
  const journal = await open();
  const lookups = { claims: 0, pages: [] as number[] };
  const counted: Partial<SharedJournal> = {
    claim: (...args) => {
      lookups.claims += 1;
      return journal.claim(...args);
    },
    refusedClaims: async (ids, owner) => {
      lookups.pages.push(ids.length);
      return (await journal.refusedClaims?.(ids, owner)) ?? new Map<string, never>();
    },
  };
  return { service, run, counted, journal, lookups };
}

it("reads finished items in pages, and lets other work run between them", async () => {
  const { service, run, counted, lookups } = await openEnded();
  const ended = new AbortController();
  let turns = 0;
  const counting = (async () => {
    for (; !ended.signal.aborted; turns += 1) await setImmediate();
  })();
  const { read, error } = await run(skus, counted);
  ended.abort();
  await counting;
  expect(error).toBeUndefined();
  expect(read.filter(({ fromJournal, result }) => fromJournal && result)).toHaveLength(200);
  expect(service.sent).toEqual([]);
  expect(lookups.claims).toBeLessThan(12);
  expect(lookups.pages).toEqual([16, 64, expect.any(Number)]);
  expect(turns).toBeGreaterThan(3);
});

it("claims new items one by one after finished ones", async () => {
  const { run, counted, lookups } = await openEnded(skus.slice(0, 100));
  const { read, ids } = await run(skus, counted);
  expect(ids.toSorted()).toEqual(skus.toSorted());
  expect(read.filter(({ fromJournal }) => fromJournal)).toHaveLength(100);
  expect(read.every(({ result }) => result)).toBe(true);
  expect(lookups.pages.length).toBeLessThan(5);
  expect(lookups.claims).toBeGreaterThanOrEqual(100);
});

it("looks up held items together", async () => {
  const { service, run, counted, journal, lookups } = await openEnded(["first"]);
  for (const id of skus) await journal.claim(id, "other");
  const running = run(["first", ...skus], counted);
  const { clock } = service.mock;
  for (let second = 0; second < 20; second += 1) {
    await journal.renew(skus, "other");
    await clock.advance(1_000);
  }
  for (const id of skus) await journal.release(id, "other");
  const { read } = await running;
  expect(read.filter(({ result }) => result)).toHaveLength(201);
  // One for each item that is new, and few before.
  expect(lookups.claims).toBeLessThan(skus.length + 20);
});

it("ends items that were read ahead when the batch stops", async () => {
  const { run, counted, service } = await openEnded(skus.slice(0, 100));
  const { read, error, ids } = await run(skus, counted, { budget: { maxCredits: 100 * 8 + 24 } });
  expect(error).toMatchObject({ code: "batch_stopped", cause: { code: "budget_exceeded" } });
  expect(service.sent.filter(({ method }) => method === "POST")).toHaveLength(3);
  expect(read.filter(({ fromJournal }) => fromJournal)).toHaveLength(100);
  expect(ids).toEqual(expect.arrayContaining(skus.slice(0, ids.length)));
});

it("yields the items before a failing one, and the errors of their ids", async () => {
  const { run, counted } = await openEnded();
  async function* failing() {
    yield* skus.slice(0, 50);
    yield* ["broken", "sku-1"];
    // The page ends here, since the next item is not ready.
    await setImmediate();
    await setImmediate();
    yield "sku-60";
    throw new RangeError("no more");
  }
  const { read, error, ids } = await run(failing(), counted);
  expect(error).toEqual(new RangeError("no more"));
  expect(new Set(ids)).toEqual(new Set([...skus.slice(0, 50), "50", "51", "sku-60"]));
  const errors = read.flatMap((item) => item.error?.message ?? []);
  expect(errors).toEqual(["no id", expect.stringContaining('"sku-1" of the item at index 51')]);
});

it.each([
  ["a claim", new Map([["sku-40", { state: "claimed", entry: undefined }]])],
  ["another value", { size: 1 }],
])("stops if the journal returns %s as a refused one", async (_what, value) => {
  const { service, run } = await openEnded();
  const refusedClaims = async () => value as never;
  const { read, error } = await run(skus, { refusedClaims });
  expect(error).toMatchObject({ code: "batch_stopped", cause: expect.any(TypeError) });
  expect(read.filter(({ status }) => status === "failed")).toEqual([]);
  expect(service.sent).toEqual([]);
});

it("ends held items if the journal fails", async () => {
  const { run, journal } = await openEnded(["first"]);
  for (const id of skus.slice(0, 5)) await journal.claim(id, "other");
  const { read, error } = await run(skus.slice(0, 5), {
    refusedClaims: () => Promise.reject(new Error("down")),
  });
  expect(error).toMatchObject({ code: "batch_stopped", cause: { message: "down" } });
  expect(read.map(({ status }) => status)).toEqual(
    Array.from({ length: read.length }, () => "not_run"),
  );
});
