import { getEventListeners } from "node:events";

import { describe, expect, expectTypeOf, it } from "vitest";

import { ConfigError, isTryOnError, type Job, type TryOnResult } from "../index.ts";
import { memoryJournal, upTo } from "../../test/memory-journal.ts";
import { collect, createService, cut, input, respondWith } from "../../test/service.ts";
import { batch, BatchStoppedError, type BatchItem, type BatchProgress } from "./index.ts";

/** Returns an input whose job takes the given time. */
const taking = (milliseconds: number) => ({ ...input, prompt: `mock:slow=${milliseconds}` });
const many = (count: number) => Array.from({ length: count }, (_, index) => index);
const blocked = { ...input, prompt: "mock:content_blocked" };

/** Returns inputs without end, and the number of inputs that were read. */
function endless() {
  const state = { read: 0 };
  function* inputs() {
    for (;;) {
      state.read += 1;
      yield input;
    }
  }
  return { state, inputs: inputs() };
}

describe("a batch", () => {
  it("runs each item once and yields its id, index and input", async () => {
    const { run, tryon, balance } = createService();
    const skus = ["a", "b", "c"];
    const items = await run(collect(batch(tryon, skus, { id: (sku) => sku, input: () => input })));
    for (const { id, index, input: sku, result, error, job, fromJournal } of items) {
      expect(error).toBeUndefined();
      expect(id).toBe(sku);
      expect(skus[index]).toBe(sku);
      expect(result?.job).toBe(job);
      expect(fromJournal).toBe(false);
    }
    expect(items.map(({ id }) => id).toSorted()).toEqual(skus);
    expect(await balance()).toBe(1_000 - 24);
  });

  it("yields items as they end, with the index as the default id", async () => {
    const { run, tryon } = createService();
    const items = await run(collect(batch(tryon, [9_000, 3_000, 6_000].map(taking))));
    expect(items.map(({ id }) => id)).toEqual(["1", "2", "0"]);
  });

  it("yields the error of a failed item and continues with the others", async () => {
    const { run, tryon } = createService();
    const inputs = [
      input,
      { ...input, garments: [] },
      { ...input, prompt: "mock:model_rejected" },
      input,
    ];
    const items = await run(collect(batch(tryon, inputs)));
    const ends = new Map(items.map(({ index, error }) => [index, error]));
    expect(ends.get(1)).toMatchObject({ code: "invalid_input" });
    expect(ends.get(2)).toMatchObject({ code: "job_failed" });
    expect(items.filter(({ result }) => result)).toHaveLength(2);
    expect(items.find(({ index }) => index === 2)?.job?.status).toBe("failed");
    expect(items.find(({ index }) => index === 1)?.job).toBeUndefined();
  });

  it.each([undefined, memoryJournal()])(
    "yields the job if a middleware throws during a poll, journal: %#",
    async (journal) => {
      const service = createService();
      const reason = new Error("cannot sign");
      const tryon = service.client({
        middleware: [
          (request, next) => {
            if (request.url.includes("/job_")) throw reason;
            return next(request);
          },
        ],
      });
      const options = { sync: false, id: () => "a" };
      const [item] = await service.run(
        collect(batch(tryon, [input], journal ? { ...options, journal } : options)),
      );
      expect(item?.error).toBe(reason);
      expect(item?.job?.id).toMatch(/^job_/);
    },
  );

  it("yields values that `id` and `input` throw as the error of their item", async () => {
    const { run, tryon, sent } = createService();
    const reason = new Error("no such file");
    const fails = (index: number) => {
      if (index === 0) throw reason;
      // A callback can throw any value.
      // oxlint-disable-next-line typescript/only-throw-error
      throw "text";
    };
    const items = await run(collect(batch(tryon, [0, 1], { input: fails })));
    expect(items.find(({ index }) => index === 0)?.error).toBe(reason);
    expect(items.find(({ index }) => index === 1)?.error).toMatchObject({
      message: "text",
      cause: "text",
    });
    const named = await run(collect(batch(tryon, [input], { id: () => fails(0) })));
    expect(named[0]).toMatchObject({ id: "0", error: reason });
    // Programs without types can return any id.
    const wrong = await run(
      collect(batch(tryon, [input, input], { id: (_item, index) => ["", 7][index] as never })),
    );
    for (const { error } of wrong)
      expect(error).toMatchObject({ code: "invalid_input", issues: [{ field: "id" }] });
    expect(sent).toEqual([]);
  });

  it("sends no request without items", async () => {
    const { run, tryon, sent } = createService();
    expect(await run(collect(batch(tryon, [])))).toEqual([]);
    expect(sent).toEqual([]);
  });

  const noList = { ...memoryJournal(), list: undefined };
  it.each<readonly [string, object, string, unknown?]>([
    ["id must be a function", { journal: memoryJournal() }, "id"],
    ["from 0 up", { budget: { maxCredits: NaN } }, "budget.maxCredits"],
    ["from 0 up", { budget: 80 }, "budget.maxCredits"],
    ["`list`", { journal: noList, id: String, budget: { maxCredits: 8 } }, "journal"],
    ...[null, 7, "abc", { length: 1, 0: input }].map(
      (inputs) => ["must be an iterable", {}, "inputs", inputs] as const,
    ),
  ])("rejects with %j: %j", (message, options, field, inputs = [input]) => {
    // Programs without types can pass anything.
    const start = () => batch(createService().tryon, inputs as never, options as never);
    const issues = [expect.objectContaining({ field })];
    expect(start).toThrow(expect.objectContaining({ code: "invalid_input", issues }));
    expect(start).toThrow(message);
  });
});

describe("the inputs of a batch", () => {
  it("are read only while the items in flight and those not yet yielded leave room", async () => {
    const service = createService();
    const { tryon, run } = service;
    const { state, inputs } = endless();
    let created = 0;
    const create = () => {
      created += 1;
      return input;
    };
    const items = batch(tryon, inputs, { concurrency: 3, input: create });
    await run(items.next());
    await service.mock.clock.advance("10m");
    // One has been yielded, and three have ended or are in flight.
    expect([state.read, created]).toEqual([4, 4]);
    await run(items.next());
    await service.mock.clock.advance("10m");
    expect(state.read).toBe(5);
    await run(items.return());
    expect(state.read).toBe(5);
  });

  it("are closed after a break, without timers or listeners left", async () => {
    const service = createService();
    const { tryon, run, mock, sent } = service;
    const closed: string[] = [];
    async function* source() {
      try {
        for (const length of [1_000, 80_000, 80_000, 80_000, 80_000]) yield taking(length);
      } finally {
        closed.push("closed");
      }
    }
    const timers = mock.clock.pending;
    const controller = new AbortController();
    const { signal } = controller;
    const items = batch(tryon, source(), { concurrency: 2, signal });
    expect((await run(items.next())).value).toMatchObject({ error: undefined });
    // The same as a break.
    await run(items.return());
    expect(closed).toEqual(["closed"]);
    const count = sent.length;
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    await mock.clock.advance("5m");
    expect(mock.clock.pending).toBe(timers);
    expect(sent).toHaveLength(count);
  });

  it("are closed also if an item never comes, and neither `return` ends, or if it fails", async () => {
    const { tryon, run } = createService();
    let closed = 0;
    const source = (blockedAt: number) => {
      let count = 0;
      return {
        [Symbol.asyncIterator]: () => ({
          next: async () => {
            count += 1;
            if (count > blockedAt) await new Promise(() => undefined);
            return { done: false as const, value: input };
          },
          return: async () => {
            closed += 1;
            // A generator closes only after the pending item.
            if (count > blockedAt) await new Promise(() => undefined);
            throw new Error("cannot be closed");
          },
        }),
      };
    };
    for (const blockedAt of [1, 100]) {
      const items = batch(tryon, source(blockedAt), { concurrency: 2 });
      await run(items.next());
      await run(items.return());
    }
    expect(closed).toBe(2);
  });

  it("can throw: the batch yields the items in flight first", async () => {
    const { tryon, run } = createService();
    const reason = new Error("the list broke off");
    function* source() {
      yield taking(5_000);
      yield taking(3_000);
      throw reason;
    }
    const { read, error } = await run(upTo(batch(tryon, source())));
    expect(read.map(({ index, error: own }) => [index, own])).toEqual([
      [1, undefined],
      [0, undefined],
    ]);
    expect(error).toBe(reason);
  });
});

describe("the signal of a batch", () => {
  it("ends the batch immediately with its reason and starts no other item", async () => {
    const service = createService();
    const { tryon, sent, mock } = service;
    const controller = new AbortController();
    const reason = { why: "enough" };
    const { signal } = controller;
    const options = { input: () => taking(30_000), signal, concurrency: 2 };
    const work = upTo(batch(tryon, many(9), options));
    await mock.clock.advance("5s");
    controller.abort(reason);
    await mock.clock.advance(0);
    expect((await work).error).toBe(reason);
    const count = sent.length;
    await mock.clock.advance("10m");
    expect(sent).toHaveLength(count);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  it("prevents any read if it was aborted before", async () => {
    const { tryon } = createService();
    const reason = new Error("never mind");
    const { state, inputs } = endless();
    const { error } = await upTo(batch(tryon, inputs, { signal: AbortSignal.abort(reason) }));
    expect([error, state.read]).toEqual([reason, 0]);
  });

  it("ends the batch while an input is created", async () => {
    const { tryon, mock } = createService();
    const controller = new AbortController();
    const never = new Promise<typeof input>(() => undefined);
    const work = upTo(batch(tryon, [1], { input: () => never, signal: controller.signal }));
    await mock.clock.advance("1s");
    controller.abort();
    expect((await work).error).toMatchObject({ name: "AbortError" });
  });
});

describe("a batch stops", () => {
  it.each([
    [401, "unauthorized"],
    [402, "insufficient_credits"],
    [403, "forbidden"],
  ])("at a %i, after it has yielded the items in flight", async (status, code) => {
    const { tryon, run, faults, submissions } = createService();
    // The first request reads the account for the rate limit.
    faults.push(undefined, undefined, respondWith(status, { detail: "no" }));
    const { read, error } = await run(
      upTo(batch(tryon, many(50), { input: () => taking(20_000), concurrency: 3 })),
    );
    if (!(error instanceof BatchStoppedError)) throw error;
    expect(error).toMatchObject({ code: "batch_stopped", reason: "error", cause: { code } });
    expect(isTryOnError(error, "batch_stopped")).toBe(true);
    expect(error.message).toMatch(`The batch stopped at ${code}: `);
    expect(error.message).toMatch(/Fix the cause and run the batch again\.$/);
    expect(read.filter(({ error: own }) => own === undefined).length).toBe(
      submissions().length - 1,
    );
    expect(submissions().length).toBeLessThanOrEqual(4);
    expect(read.length).toBeLessThanOrEqual(5);
  });

  it.each(["invalid_config", "unsafe_environment"] as const)(
    "at %s, such as that of a client that an input creates",
    async (code) => {
      const { tryon, sent } = createService();
      const cause = new ConfigError(code, "The key is missing.", "Set it.");
      const failing = () => Promise.reject(cause);
      const { error } = await upTo(batch(tryon, many(50), { input: failing, concurrency: 1 }));
      expect(error).toMatchObject({ code: "batch_stopped", reason: "error", cause });
      expect(sent).toEqual([]);
    },
  );

  it("at codes in `stopOn` only", async () => {
    const { tryon, run, faults, submissions } = createService();
    const inputs = many(9).map(() => input);
    const refused = [402, 422].map((status) => respondWith(status, { detail: "no" }));
    faults.push(undefined, ...refused);
    const { read, error } = await run(upTo(batch(tryon, inputs, { concurrency: 1, stopOn: [] })));
    expect([read.length, error]).toEqual([9, undefined]);
    faults.push(undefined, ...refused);
    const before = submissions().length;
    const options = { concurrency: 1, stopOn: ["validation_failed"] } as const;
    expect((await run(upTo(batch(tryon, inputs, options)))).error).toMatchObject({
      reason: "error",
    });
    expect(submissions().length - before).toBeLessThanOrEqual(3);
  });

  it.each([
    ["after three consecutive items with blocked content", undefined, "bbgbbbbg", 6],
    ["after `stopAfterContentBlocked` items", 5, "bbbbbbb", 5],
    ["after three items, also with another error between them", undefined, "bbebgg", 4],
    ["never with `stopAfterContentBlocked: false`", false, "bbbbbbb", 7],
  ] as const)("%s", async (_name, stopAfterContentBlocked, kinds, count) => {
    const { tryon, run, submissions } = createService({
      options: { suspendAfterContentBlocked: "off" },
    });
    const invalid = { ...input, seed: -1 };
    const inputs = Array.from(kinds, (kind) => ({ b: blocked, e: invalid })[kind] ?? input);
    const options = { concurrency: 1, stopAfterContentBlocked };
    const { read, error } = await run(upTo(batch(tryon, inputs, options)));
    const reason = count < inputs.length ? "content_blocked" : undefined;
    expect(isTryOnError(error, "batch_stopped") ? error.reason : error).toBe(reason);
    const sent = count - (kinds.includes("e") ? 1 : 0);
    expect([read.length, submissions().length]).toEqual([count, sent]);
    const number = stopAfterContentBlocked === undefined ? 3 : stopAfterContentBlocked;
    const text = `content of ${number} consecutive items. Check their images and prompts`;
    expect(String(error)).toContain(reason === undefined ? "undefined" : text);
  });

  it("before it exceeds its budget", async () => {
    const { tryon, run, balance } = createService();
    const inputs = many(9).map((index) =>
      index % 2 === 0 ? { ...input, size: "2k" as const } : input,
    );
    const { read, error } = await run(upTo(batch(tryon, inputs, { budget: { maxCredits: 40 } })));
    expect(error).toMatchObject({ reason: "error", cause: { code: "budget_exceeded" } });
    expect(await balance()).toBe(960);
    expect(read.filter(({ result }) => result)).toHaveLength(4);
  });

  it("not at a budget that has room after a rejected submission", async () => {
    const { tryon, run, faults } = createService();
    // Two requests read the account: for the rate limit and for the prices.
    faults.push(undefined, undefined, respondWith(422, { detail: "no" }));
    const inputs = many(3).map(() => input);
    const { read, error } = await run(
      upTo(batch(tryon, inputs, { budget: { maxCredits: 16 }, concurrency: 1 })),
    );
    expect(error).toBeUndefined();
    expect(read.filter(({ result }) => result)).toHaveLength(2);
  });
});

function fail(): never {
  throw new Error("no");
}

/** Returns a callback that collects the progress of a batch. */
function reports() {
  const reported: BatchProgress[] = [];
  return { reported, onProgress: (progress: BatchProgress) => reported.push(progress) };
}

describe("onProgress", () => {
  it("reports each ended item, the rate and the estimated time", async () => {
    const { tryon, run } = createService({ latency: "10s" });
    const { reported, onProgress } = reports();
    const inputs = [input, { ...input, garments: [] }, input, input];
    await run(collect(batch(tryon, inputs, { concurrency: 1, onProgress })));
    expect(reported.map(({ done }) => done)).toEqual([1, 2, 3, 4]);
    expect(reported.at(-1)).toMatchObject({
      succeeded: 3,
      failed: 1,
      inFlight: 0,
      total: 4,
      eta: 0,
    });
    expect(reported.every(({ eta }) => Number.isInteger(eta))).toBe(true);
    expect(reported.at(-1)?.credits).toBe(24);
    const [first] = reported;
    expect(first?.rate).toBeGreaterThan(5);
    expect(first?.eta).toBeCloseTo((3 / (first?.rate ?? 0)) * 60_000, 0);
  });

  it("reports a total only if `inputs` has a length or `total` is set", async () => {
    const { tryon, run } = createService();
    const { reported, onProgress } = reports();
    await run(collect(batch(tryon, new Set([input]).values(), { onProgress })));
    await run(collect(batch(tryon, new Set([input]).values(), { onProgress, total: 3 })));
    await run(collect(batch(tryon, new Set([input]), { onProgress })));
    expect(reported.map(({ total }) => total)).toEqual([undefined, 3, 1]);
    expect(reported[0]?.eta).toBeUndefined();
    expect(reported[1]?.eta).toBeGreaterThan(0);
  });

  it("counts no item in flight when the only one fails at its id", async () => {
    const { tryon, run } = createService();
    const { reported, onProgress } = reports();
    await run(collect(batch(tryon, [input], { id: () => "", onProgress })));
    expect(reported).toMatchObject([{ failed: 1, inFlight: 0 }]);
  });

  it("can throw or reject without effect", async () => {
    const { tryon, run } = createService();
    for (const onProgress of [fail, async () => fail()]) {
      expect(await run(collect(batch(tryon, [input], { onProgress })))).toHaveLength(1);
    }
  });
});

it.each([1, "auto"] as const)(
  "during an outage, the batch doubles its backoff with each failure, up to a minute, concurrency: %s",
  async (concurrency) => {
    const { client, fetch, mock } = createService();
    const times: number[] = [];
    const tryon = client({
      retries: 0,
      fetch: async (url, init) => {
        if (init.method !== "POST") return fetch(url, init);
        times.push(mock.clock.now());
        return cut.refused();
      },
    });
    const controller = new AbortController();
    const { signal } = controller;
    const failing = upTo(batch(tryon, many(5_000), { input: () => input, signal, concurrency }));
    await mock.clock.advance("10m");
    controller.abort();
    await failing;
    // Items that start with others count once.
    const delays = times.map((at, index) => at - (times[index - 1] ?? at));
    const backoffs = delays.filter((delay) => delay >= 1_000).map((delay) => delay / 1_000);
    expect(backoffs.slice(0, 8)).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    expect(times.length).toBeLessThan(40);
  },
);

/** Compiled only. */
export async function typed(
  tryon: Parameters<typeof batch>[0],
  journal: ReturnType<typeof memoryJournal>,
): Promise<void> {
  for await (const { result, error, job, input: item } of batch(tryon, [input])) {
    if (error) {
      expectTypeOf(error).toEqualTypeOf<Error>();
      expectTypeOf(job).toEqualTypeOf<Job | undefined>();
    } else {
      expectTypeOf(result).toEqualTypeOf<TryOnResult>();
      expectTypeOf(job).toEqualTypeOf<Job>();
    }
    expectTypeOf(item).toEqualTypeOf<typeof input>();
  }
  expectTypeOf<BatchItem<string>["input"]>().toEqualTypeOf<string>();
  // @ts-expect-error A string has no person.
  batch(tryon, ["a"]);
  // @ts-expect-error A string has no person.
  batch(tryon, ["a"], { concurrency: 2 });
  batch(tryon, ["a"], { input: () => input });
  // @ts-expect-error A journal requires `id`.
  batch(tryon, [input], { journal });
  // @ts-expect-error A journal requires `id`.
  batch(tryon, ["a"], { journal, input: () => input });
  batch(tryon, ["a"], { journal, input: () => input, id: (sku) => sku });
}
