import { describe, expect, it } from "vitest";

import {
  isTryOnError,
  type Clock,
  type Duration,
  type TryOnFields,
  type TryOnInput,
} from "../index.ts";
import { makeDigestsInstant } from "../../test/instant-digests.ts";
import { all, memoryJournal, type MemoryJournal } from "../../test/memory-journal.ts";
import {
  respondWith,
  assetBytes,
  createService,
  cut,
  fieldsOf,
  input,
  personUrl,
  profile,
  shirtUrl,
  type Fault,
  type TestService,
} from "../../test/service.ts";
import { batch, BatchStoppedError, type BatchItem, type JournalEntry } from "./index.ts";

makeDigestsInstant();

interface Order {
  readonly sku: string;
  readonly input: TryOnInput;
}

const order = (sku: string, more: TryOnFields = {}): Order => ({
  sku,
  // No test removes the person or the garments.
  input: { ...input, ...more } as TryOnInput,
});

type Timer = Parameters<TestService["mock"]["clock"]["clearTimeout"]>[0];

/** Runs a batch of orders to its end. */
function runOrders(
  { run, tryon }: TestService,
  orders: readonly Order[],
  journal: MemoryJournal,
  options: { sync?: boolean; concurrency?: number; timeout?: Duration } = {},
): Promise<BatchItem<Order>[]> {
  return run(
    all(
      batch(tryon, orders, {
        id: ({ sku }) => sku,
        input: (one) => one.input,
        journal,
        ...options,
      }),
    ),
  );
}

/** Returns the journal of a batch of one order whose first run had these faults. */
async function interrupted(
  service: TestService,
  faults: Fault[],
  one = order("a"),
): Promise<MemoryJournal> {
  const journal = memoryJournal();
  // The first request reads the account for the rate limit.
  service.faults.push(undefined, ...faults);
  await runOrders({ ...service, tryon: service.client() }, [one], journal);
  service.faults.length = 0;
  return journal;
}

/** The service received it, and every response was lost. */
const responseLost = [cut.after, cut.before, cut.before, cut.before];
/** The service never received it. */
const requestLost = [cut.before, cut.before, cut.before, cut.before];

async function balance({ mock }: TestService): Promise<number | undefined> {
  return (await mock.ledger(mock.keys.live))?.balance;
}

describe("a batch with a journal", () => {
  it.each([true, false])("writes each step before the next one, sync: %s", async (sync) => {
    const service = createService({ latency: "5s" });
    const { submissions } = service;
    const seen: (readonly string[])[] = [];
    const journal = memoryJournal({
      before: ({ state }) => seen.push([state, String(submissions().length)]),
    });
    await runOrders(service, [order("a")], journal, { sync });
    const steps = [
      ["sending", "0"],
      ["submitted", "1"],
      ["succeeded", "1"],
    ];
    expect(seen).toEqual(sync ? [steps[0], steps[2]] : steps);
    const [sent] = submissions();
    const [first, last] = [journal.puts[0], journal.puts.at(-1)];
    expect(first).toEqual({
      id: "a",
      state: "sending",
      idempotencyKey: sent?.headers.get("idempotency-key"),
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      held: sync,
      size: "1K",
      sentAt: expect.any(Number),
    });
    expect(first?.sentAt).toBeLessThanOrEqual(sent?.at ?? 0);
    expect(fieldsOf(sent)).toMatchObject({
      wait: sync,
      metadata: { _tryon_key: first?.idempotencyKey },
    });
    expect(last).toMatchObject({
      ...first,
      state: "succeeded",
      job: { data: { status: "succeeded" } },
    });
    expect(JSON.stringify(journal.puts)).not.toMatch(/svc_live|shop\.example|result_url|signature/);
  });

  it("yields finished items of an earlier run without a request, including failures", async () => {
    const service = createService();
    const journal = memoryJournal();
    const orders = [order("a"), order("b", { prompt: "mock:model_rejected" })];
    const before = await runOrders(service, orders, journal);
    const count = service.sent.length;
    const puts = journal.puts.length;
    const after = await runOrders(service, orders, journal);
    expect(service.sent).toHaveLength(count);
    expect(journal.puts).toHaveLength(puts);
    expect(after.map(({ fromJournal }) => fromJournal)).toEqual([true, true]);
    const [done, failed] = after.toSorted((a, b) => a.index - b.index);
    expect(done?.job?.id).toBe(before.find(({ id }) => id === "a")?.job?.id);
    expect(failed?.error).toMatchObject({ code: "job_failed", error_message: "model_rejected" });
    expect(
      await service.run(done?.result?.image.bytes() ?? Promise.reject(new Error())),
    ).toBeInstanceOf(Uint8Array);
  });

  it("yields finished items without rate limiting", async () => {
    const service = createService();
    const { token } = await service.mock.createKey({ rateLimitPerMinute: 6, credits: 1_000 });
    const tryon = service.client({ apiKey: token });
    const journal = memoryJournal();
    const orders = Array.from({ length: 12 }, (_, index) => order(`sku-${index}`));
    await runOrders({ ...service, tryon }, orders, journal);
    const now = service.mock.clock.now();
    expect(await runOrders({ ...service, tryon }, orders, journal)).toHaveLength(12);
    expect(service.mock.clock.now() - now).toBeLessThan(15_000);
  });

  it("waits for a job that an earlier run submitted", async () => {
    const service = createService({ latency: "5s" });
    const journal = await interrupted(service, []);
    // As if the program was killed right after the submission.
    const submitted = journal.puts.find(({ state }) => state === "succeeded");
    if (!submitted) throw new Error("It was not done.");
    await journal.put({ ...submitted, state: "submitted", job: { id: submitted.job?.id ?? "" } });
    const [item] = await runOrders(service, [order("a")], journal);
    expect(item).toMatchObject({ fromJournal: false, job: { id: submitted.job?.id } });
    expect(item?.error).toBeUndefined();
    expect(service.submissions()).toHaveLength(1);
    expect(journal.entries.get("a")?.state).toBe("succeeded");
  });

  it.each([
    ["was received", responseLost],
    ["was not received", requestLost],
  ])("resubmits the same body under the same key if the earlier one %s", async (_name, faults) => {
    const service = createService();
    const journal = await interrupted(service, faults);
    expect(journal.entries.get("a")).toMatchObject({ state: "sending" });
    await service.mock.clock.advance("20m");
    const [item] = await runOrders(service, [order("a")], journal, { sync: false });
    expect(item?.result).toBeDefined();
    expect(await balance(service)).toBe(992);
    const bodies = new Set(service.submissions().map(({ body }) => body));
    const keys = new Set(
      service.submissions().map(({ headers }) => headers.get("idempotency-key")),
    );
    // The first run set `sync`, which is a part of the body.
    expect([bodies.size, keys.size]).toEqual([1, 1]);
  });

  it("stops waiting in the submission after a proxy cut off a response", async () => {
    const service = createService({ options: { holdCut: 30 }, latency: "40s" });
    const journal = memoryJournal();
    await runOrders(service, [order("a"), order("b")], journal, { concurrency: 1 });
    expect(["a", "b"].map((id) => journal.entries.get(id)?.held)).toEqual([true, false]);
    expect(await balance(service)).toBe(984);
  });

  it("polls if the timeout is shorter than a synchronous wait, so that the job is known", async () => {
    const service = createService({ latency: "50s" });
    const journal = memoryJournal();
    const [item] = await runOrders(service, [order("a")], journal, { timeout: "30s" });
    expect(item).toMatchObject({ error: { code: "wait_timed_out" }, job: { status: "running" } });
    expect(journal.entries.get("a")).toMatchObject({ state: "submitted", held: false });
  });

  it("waits while the service handles another request with the key", async () => {
    const service = createService({ options: { concurrentTwin: 409 }, latency: "60s" });
    const journal = await interrupted(service, [cut.before, cut.before, cut.before, cut.before]);
    const entry = journal.entries.get("a");
    // Another program sends it at the same time.
    void service
      .client({ fetch: service.mock.fetch })
      .run(input, { idempotencyKey: entry?.idempotencyKey, keyInMetadata: true, sync: true })
      .catch(() => undefined);
    await service.mock.clock.advance("1s");
    const [item] = await runOrders(service, [order("a")], journal);
    expect(item?.result).toBeDefined();
    expect(await balance(service)).toBe(992);
  });
});

describe("an item with an unknown outcome after its key expired", () => {
  it("is found by the key in its metadata, with one iteration for all items", async () => {
    const service = createService({ options: { idempotencyHours: 1 } });
    const journal = memoryJournal();
    const orders = ["a", "b", "c"].map((sku) => order(sku));
    for (const one of orders) {
      service.faults.push(...(one.sku === "a" ? [undefined] : []), ...responseLost);
      await runOrders(service, [one], journal);
      service.faults.length = 0;
    }
    const others = Array.from({ length: 70 }, () => service.tryon.submit(input));
    await service.run(Promise.all(others));
    await service.mock.clock.advance("2h");
    const before = service.sent.length;
    const items = await runOrders(service, orders, journal);
    expect(items.filter(({ result }) => result)).toHaveLength(3);
    const after = service.sent.slice(before);
    expect(after.filter(({ method }) => method === "POST")).toEqual([]);
    // One page of 100 jobs, or four of 20.
    expect(after.filter(({ url }) => url.includes("cursor=")).length).toBeLessThanOrEqual(3);
    expect(await balance(service)).toBe(1_000 - 73 * 8);
    expect(journal.entries.get("a")?.state).toBe("succeeded");
  });

  it("fails with outcome_unknown if the list does not contain it, and recover() searches again", async () => {
    const service = createService();
    const journal = await interrupted(service, requestLost);
    await service.mock.clock.advance("31m");
    const before = service.submissions().length;
    const [item] = await runOrders(service, [order("a")], journal);
    const error = item?.error;
    if (!isTryOnError(error, "outcome_unknown")) throw error ?? new Error("It was done.");
    expect(error.message).toContain('"a"');
    expect(await service.error(error.recover())).toBe(error);
    expect(service.submissions()).toHaveLength(before);
    expect(journal.entries.get("a")?.state).toBe("sending");
    // The service receives it late.
    const { idempotencyKey } = error;
    await service.run(service.tryon.submit(input, { idempotencyKey, keyInMetadata: true }));
    await service.mock.clock.advance("1m");
    expect((await service.run(error.recover())).idempotencyKey).toBe(idempotencyKey);
  });

  it("delays no other item while its job still runs", async () => {
    const service = createService();
    const { token } = await service.mock.createKey({ rateLimitPerMinute: 60 });
    const never = order("a", { prompt: "mock:never" });
    const limited = { ...service, client: () => service.client({ apiKey: token }) };
    const journal = await interrupted(limited, responseLost, never);
    await service.mock.clock.advance("40m");
    const before = service.submissions().length;
    const startedAt = service.mock.clock.now();
    await runOrders({ ...service, tryon: limited.client() }, [never, order("b")], journal);
    const [next] = service.submissions().slice(before);
    expect((next?.at ?? 0) - startedAt).toBeLessThan(5_000);
  });

  it("is searched up to one hour before its first request", async () => {
    const service = createService();
    const { run, tryon, mock, sent } = service;
    for (let count = 0; count < 105; count += 1) await run(tryon.submit(input));
    await mock.clock.advance("61m");
    const journal = await interrupted(service, requestLost);
    await mock.clock.advance("31m");
    const before = sent.length;
    const [item] = await runOrders(service, [order("a")], journal);
    expect(item?.error).toMatchObject({ code: "outcome_unknown" });
    // If the service rejects a page of 100, a page of 20 follows.
    expect(sent.length - before).toBe(profile === "default" ? 1 : 2);
  });

  it("has the error of the list as its cause", async () => {
    const service = createService();
    const journal = await interrupted(service, responseLost);
    await service.mock.clock.advance("31m");
    service.faults.push(respondWith(404, "<h1>Nothing here</h1>"));
    const [item] = await runOrders(service, [order("a")], journal);
    expect(item?.error).toMatchObject({ code: "outcome_unknown", cause: { code: "not_found" } });
    const [again] = await runOrders(service, [order("a")], journal);
    expect(again?.result).toBeDefined();
  });

  it("is not sent after the clock was set back", async () => {
    const service = createService();
    const journal = await interrupted(service, requestLost);
    const entry = journal.entries.get("a");
    if (!entry) throw new Error("It was not written down.");
    await journal.put({ ...entry, sentAt: entry.sentAt + 3_600_000 });
    const before = service.submissions().length;
    const [item] = await runOrders(service, [order("a")], journal);
    expect(item?.error).toMatchObject({ code: "outcome_unknown" });
    expect(service.submissions()).toHaveLength(before);
  });

  it("is not sent if the machine slept while it waited for its turn", async () => {
    const service = createService();
    const { mock, submissions } = service;
    const journal = await interrupted(service, requestLost);
    const before = submissions().length;
    let slept = 0;
    const clock: Clock = {
      now: () => mock.clock.now() + slept,
      setTimeout: (callback, delay) => mock.clock.setTimeout(callback, delay),
      // The timer comes from the line above.
      clearTimeout: (timer) => mock.clock.clearTimeout(timer as Timer),
    };
    // The machine sleeps during the request for the rate limit.
    service.faults.push(async (_request, pass) => {
      slept = 7_200_000;
      return pass();
    });
    const [item] = await runOrders(
      { ...service, tryon: service.client({ clock }) },
      [order("a")],
      journal,
    );
    expect(item?.error).toMatchObject({ code: "outcome_unknown" });
    expect(submissions()).toHaveLength(before);
  });

  it("is not sent if the machine slept between its turn and the request", async () => {
    const service = createService();
    const { mock, submissions } = service;
    const journal = await interrupted(service, requestLost);
    await mock.clock.advance("29m");
    const before = submissions().length;
    let slept = 0;
    const clock: Clock = {
      now: () => mock.clock.now() + slept,
      setTimeout: (callback, delay) => mock.clock.setTimeout(callback, delay),
      // The timer comes from the line above.
      clearTimeout: (timer) => mock.clock.clearTimeout(timer as Timer),
    };
    // The first request reads the rate limit, the second one the prices for the budget.
    service.faults.push(undefined, async (_request, pass) => {
      slept = 120_000;
      return pass();
    });
    const tryon = service.client({ clock, budget: { maxCredits: 100 } });
    const [item] = await runOrders({ ...service, tryon }, [order("a")], journal);
    expect(item?.error).toMatchObject({ code: "outcome_unknown" });
    expect(submissions()).toHaveLength(before);
  });

  it("is not retried after its key expired", async () => {
    const service = createService();
    const journal = await interrupted(service, requestLost);
    const { sentAt = 0 } = journal.entries.get("a") ?? {};
    await service.mock.clock.advance("29m");
    const before = service.submissions().length;
    service.mock.faults.add({ on: "POST /api/v1/tryon", status: 429, retryAfter: 30, times: 9 });
    const [item] = await runOrders(service, [order("a")], journal);
    expect(item?.error).toMatchObject({ code: "outcome_unknown" });
    const after = service.submissions().slice(before);
    expect(after.length).toBeGreaterThan(0);
    for (const { at } of after) expect(at - sentAt).toBeLessThanOrEqual(1_800_000);
  });
});

describe("the same id", () => {
  it("with another input fails before anything is sent", async () => {
    const service = createService();
    const journal = memoryJournal();
    await runOrders(service, [order("a")], journal);
    const count = service.sent.length;
    const [item] = await runOrders(service, [order("a", { prompt: "in blue" })], journal);
    expect(item?.error).toMatchObject({ code: "invalid_input", issues: [{ field: "id" }] });
    expect(item?.error?.message).toContain('"a" was submitted before with another input');
    expect(service.sent).toHaveLength(count);
    expect(journal.entries.get("a")?.state).toBe("succeeded");
  });

  it("with another input is accepted after a refused submission", async () => {
    const service = createService();
    const journal = await interrupted(service, [respondWith(422, { detail: "no" })]);
    expect(journal.entries.get("a")).toMatchObject({ state: "refused" });
    const [item] = await runOrders(service, [order("a", { prompt: "in blue" })], journal);
    expect(item?.result).toBeDefined();
    expect(journal.entries.get("a")?.state).toBe("succeeded");
  });

  it("twice in one run fails the second item", async () => {
    const service = createService();
    const journal = memoryJournal();
    const items = await runOrders(service, [order("a"), order("a"), order("b")], journal);
    const second = items.find(({ index }) => index === 1);
    expect(second?.error).toMatchObject({ code: "invalid_input", issues: [{ field: "id" }] });
    expect(service.submissions()).toHaveLength(2);
  });
});

/** Returns the digests that the journal has for these inputs. */
async function digestsOf(inputs: readonly TryOnInput[]): Promise<Set<string>> {
  const journal = memoryJournal();
  const orders = inputs.map((one, index) => ({ sku: String(index), input: one }));
  await runOrders(createService({ latency: 100 }), orders, journal);
  expect(journal.entries.size).toBe(inputs.length);
  return new Set([...journal.entries.values()].map(({ digest }) => digest));
}

describe("the digest of an input", () => {
  const shirt = assetBytes("shirt.png");
  const base64 = Buffer.from(shirt).toString("base64");

  it("ignores aliases and the order of fields", async () => {
    const digests = await digestsOf([
      { person: personUrl, garments: [shirtUrl], output_size: "2K", metadata: { a: 1, b: 2 } },
      { metadata: { b: 2, a: 1 }, size: "2k", garments: [new URL(shirtUrl)], person: personUrl },
      { person_url: personUrl, items: [shirtUrl], resolution: "2K", metadata: { a: 1, b: 2 } },
    ]);
    expect(digests.size).toBe(1);
  });

  it("ignores the type of its images", async () => {
    const images = [
      shirt,
      new Blob([shirt]),
      { base64 },
      `data:image/png;base64,${base64}`,
      new Response(shirt),
      new Blob([shirt]).stream(),
    ];
    const digests = await digestsOf(
      images.map((garment) => ({ person: personUrl, garments: [garment] })),
    );
    expect(digests.size).toBe(1);
  });

  it("changes with everything that is sent", async () => {
    const other = shirt.slice();
    other[other.length - 1] = 1;
    const digests = await digestsOf([
      input,
      { ...input, prompt: "in blue" },
      { ...input, person: shirtUrl },
      { ...input, garments: [shirtUrl, shirtUrl] },
      { person: personUrl, garments: [shirt] },
      { person: personUrl, garments: [other] },
      { person: personUrl, garments: [other, shirt] },
      { person: personUrl, garments: [shirt, other] },
      { person: shirt, garments: [shirtUrl] },
    ]);
    expect(digests.size).toBe(9);
  });

  it("leaves a stream readable for the submission", async () => {
    const service = createService();
    await runOrders(
      service,
      [order("a", { garments: [new Blob([shirt]).stream()] })],
      memoryJournal(),
    );
    expect(fieldsOf(service.submissions()[0])["garment_images_b64"]).toEqual([base64]);
  });

  it("rejects an item whose stream another item has read", async () => {
    const service = createService();
    const [used, person, stream] = [1, 2, 3].map(() => new Response(new Blob([shirt])));
    await used?.bytes();
    const orders = [
      order("a", { person }),
      order("b", { person }),
      order("c", { garments: [stream?.body ?? ""] }),
      order("d", { garments: [stream?.body ?? ""] }),
      order("e", { person: used }),
    ];
    const items = await runOrders(service, orders, memoryJournal());
    const ends = new Map(items.map(({ id, error }) => [id, error]));
    expect([ends.get("a"), ends.get("c")]).toEqual([undefined, undefined]);
    for (const [id, field] of [
      ["b", "person"],
      ["d", "garments.0"],
      ["e", "person"],
    ] as const) {
      expect(ends.get(id)).toMatchObject({
        code: "invalid_input",
        issues: [{ field, code: "unreadable" }],
      });
    }
  });

  it("of an invalid input allows a corrected one under the same id", async () => {
    const service = createService();
    const journal = memoryJournal();
    const wrong: TryOnInput[] = [
      { person: personUrl, garments: [] },
      { ...input, garments: [new Response("none", { status: 404 })] },
      { ...input, garments: [{ base64: "not base64!" }] },
      { ...input, garments: [new Blob([new Uint8Array(11_000_000)]).stream()] },
    ];
    for (const one of wrong) {
      const [item] = await runOrders(service, [{ sku: "a", input: one }], journal);
      expect(item?.error).toMatchObject({ code: "invalid_input" });
    }
    expect(service.submissions()).toEqual([]);
    expect(journal.entries.get("a")?.state).toBe("refused");
    const [mended] = await runOrders(service, [order("a")], journal);
    expect(mended?.result).toBeDefined();
  });
});

describe("a refusal of a repeated submission", () => {
  it.each([402, 403, 422])(
    "(%i) does not exclude a job: the batch finds it by its key",
    async (status) => {
      const service = createService();
      const journal = await interrupted(service, responseLost);
      service.faults.push(undefined, respondWith(status, { detail: "no" }));
      const [item] = await runOrders(service, [order("a")], journal);
      expect(item?.result).toBeDefined();
      expect(await balance(service)).toBe(992);
    },
  );

  it("is the cause of outcome_unknown if the list contains no job", async () => {
    const service = createService();
    const journal = await interrupted(service, requestLost);
    service.faults.push(undefined, respondWith(402, { detail: "no" }));
    const work = runOrders(service, [order("a")], journal);
    const stopped = await work.catch((error: unknown) => error);
    // The batch pays for no other item.
    if (!(stopped instanceof BatchStoppedError)) throw stopped;
    expect(stopped.cause).toMatchObject({
      code: "outcome_unknown",
      cause: { code: "insufficient_credits" },
    });
    expect(journal.entries.get("a")?.state).toBe("sending");
    const [item] = await runOrders(service, [order("a")], journal);
    expect(item?.result).toBeDefined();
  });
});

it("keeps the outcome unknown after an error of the client itself, without reading the list", async () => {
  const service = createService();
  const journal = await interrupted(service, responseLost);
  const before = service.sent.length;
  const tryon = service.client({ budget: { maxCredits: 1 } });
  const work = runOrders({ ...service, tryon }, [order("a")], journal);
  const stopped = await work.catch((error: unknown) => error);
  if (!(stopped instanceof BatchStoppedError)) throw stopped;
  expect(stopped.cause).toMatchObject({ code: "budget_exceeded" });
  expect(service.sent.slice(before).filter(({ path }) => path.endsWith("/tryon"))).toEqual([]);
  expect(journal.entries.get("a")?.state).toBe("sending");
});

/** Returns a journal that fails to write some entries. */
function failing(when: (entry: JournalEntry) => boolean): MemoryJournal {
  return memoryJournal({
    before: (entry) => {
      if (when(entry)) throw new Error("no space left");
    },
  });
}

describe("a failing journal", () => {
  it("stops the batch before it sends an item without an entry", async () => {
    const service = createService();
    const stopped = await runOrders(
      service,
      [order("a"), order("b")],
      failing(() => true),
    ).catch((error: unknown) => error);
    expect(stopped).toMatchObject({
      code: "batch_stopped",
      reason: "journal",
      cause: { message: "no space left" },
    });
    expect(service.submissions()).toEqual([]);
  });

  it("stops the batch if it cannot be read", async () => {
    const service = createService();
    const journal = memoryJournal();
    journal.get = async () => Promise.reject(new Error("torn"));
    const stopped = await runOrders(service, [order("a")], journal).catch(
      (error: unknown) => error,
    );
    expect(stopped).toMatchObject({ reason: "journal", cause: { message: "torn" } });
    expect(service.sent).toEqual([]);
  });

  it("loses no result of a sent item", async () => {
    const service = createService();
    const { run, tryon } = service;
    const journal = failing(({ state }) => state === "succeeded");
    const read: BatchItem<Order>[] = [];
    const work = async (): Promise<void> => {
      const orders = [order("a"), order("b"), order("c")];
      const options = { id: ({ sku }: Order) => sku, input: (one: Order) => one.input, journal };
      for await (const item of batch(tryon, orders, { ...options, concurrency: 1 }))
        read.push(item);
    };
    const stopped = await run(work().catch((error: unknown) => error));
    expect(stopped).toMatchObject({ reason: "journal" });
    expect(read.map(({ result }) => result === undefined)).toEqual([false]);
    expect(service.submissions()).toHaveLength(1);
  });
});

describe("aborting a batch with a journal", () => {
  it("before an item is sent leaves its entry refused", async () => {
    const service = createService();
    const controller = new AbortController();
    const journal = memoryJournal({ after: () => controller.abort() });
    const work = all(
      batch(service.tryon, [order("a")], {
        id: ({ sku }) => sku,
        input: (one) => one.input,
        journal,
        signal: controller.signal,
      }),
    );
    await service.error(work);
    expect(service.submissions()).toEqual([]);
    expect(journal.entries.get("a")?.state).toBe("refused");
  });

  it("waits for pending writes, and the next run continues", async () => {
    const service = createService({ latency: "30s" });
    const journal = memoryJournal();
    const controller = new AbortController();
    const orders = [order("a"), order("b")];
    const work = all(
      batch(service.tryon, orders, {
        id: ({ sku }) => sku,
        input: (one) => one.input,
        journal,
        sync: false,
        signal: controller.signal,
      }),
    ).catch(() => undefined);
    await service.mock.clock.advance("10s");
    controller.abort();
    await work;
    expect([...journal.entries.values()].map(({ state }) => state)).toEqual([
      "submitted",
      "submitted",
    ]);
    const items = await runOrders(service, orders, journal);
    expect(items.filter(({ result }) => result)).toHaveLength(2);
    expect(service.submissions()).toHaveLength(2);
  });
});
