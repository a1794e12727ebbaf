import { describe, expect, it } from "vitest";

import { isTryOnError, type TryOn, type TryOnFields, type TryOnInput } from "../index.ts";
import { makeDigestsInstant } from "../../test/instant-digests.ts";
import {
  interrupted,
  memoryJournal,
  order,
  ordersBatch,
  requestLost,
  responseLost,
  runOrders,
  type MemoryJournal,
} from "../../test/memory-journal.ts";
import {
  assetBytes,
  collect,
  createService,
  fieldsOf,
  input,
  personUrl,
  respondAfter,
  respondWith,
  shiftedClock,
  shirtUrl,
  type Fault,
  type TestService,
} from "../../test/service.ts";
import { BatchStoppedError, type BatchItem, type Journal } from "./index.ts";

makeDigestsInstant();

type Order = ReturnType<typeof order>;
type Options = Parameters<typeof runOrders>[3];

/** Opens a service and a journal. */
const open = (...given: Parameters<typeof createService>) => ({
  service: createService(...given),
  journal: memoryJournal(),
});

/** Opens a service, and the journal of a batch whose requests had these faults. */
async function openInterrupted(
  faults: Parameters<typeof interrupted>[1],
  ...given: Parameters<typeof createService>
) {
  const service = createService(...given);
  return { service, journal: await interrupted(service, faults) };
}

/** Runs a batch of orders to its end. */
async function runAll(
  service: TestService,
  orders: readonly Order[],
  journal: MemoryJournal,
  options?: Options,
): Promise<BatchItem<Order>[]> {
  const { read, error } = await runOrders(service, orders, journal, options);
  if (error !== undefined) throw error;
  return read;
}

/** Runs a batch of the order "a", or another one, to its end. */
async function runOne(
  service: TestService,
  journal: MemoryJournal,
  options?: Options,
  one = order("a"),
): Promise<BatchItem<Order> | undefined> {
  return (await runAll(service, [one], journal, options))[0];
}

describe("a batch with a journal", () => {
  it.each([true, false])("writes each step before the next one, sync: %s", async (sync) => {
    const service = createService({ latency: "5s" });
    const { submissions } = service;
    const seen: (readonly string[])[] = [];
    const journal = memoryJournal({
      before: ({ state }) => seen.push([state, String(submissions().length)]),
    });
    await runOne(service, journal, { sync });
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
      sync,
      size: "1K",
      sentAt: expect.any(Number),
      apiKeyFingerprint: await service.tryon.apiKeyFingerprint(),
    });
    expect(first?.sentAt).toBeLessThanOrEqual(sent?.at ?? 0);
    const metadata = { _tryon_key: first?.idempotencyKey };
    expect(fieldsOf(sent)).toMatchObject({ wait: sync, metadata });
    const job = { data: { status: "succeeded" } };
    expect(last).toMatchObject({ ...first, state: "succeeded", job });
    expect(JSON.stringify(journal.puts)).not.toMatch(/svc_live|shop\.example|result_url|signature/);
  });

  it("yields finished items of an earlier run without a request, including failures", async () => {
    const { service, journal } = open();
    const orders = [order("a"), order("b", { prompt: "mock:model_rejected" })];
    const before = await runAll(service, orders, journal);
    const counts = [service.sent.length, journal.puts.length];
    const after = await runAll(service, orders, journal);
    expect([service.sent.length, journal.puts.length]).toEqual(counts);
    expect(after.map(({ fromJournal }) => fromJournal)).toEqual([true, true]);
    const [done, failed] = after.toSorted((a, b) => a.index - b.index);
    expect(done?.job?.id).toBe(before.find(({ id }) => id === "a")?.job?.id);
    expect(failed?.error).toMatchObject({ code: "job_failed", error_message: "model_rejected" });
    const bytes = done?.result?.image.bytes() ?? Promise.reject(new Error("It has no result."));
    expect(await service.run(bytes)).toBeInstanceOf(Uint8Array);
  });

  it("waits for a job that an earlier run submitted", async () => {
    const { service, journal } = await openInterrupted([], { latency: "5s" });
    // As if the program was killed right after the submission.
    const submitted = journal.puts.find(({ state }) => state === "succeeded");
    if (!submitted) throw new Error("It did not succeed.");
    await journal.put({ ...submitted, state: "submitted", job: { id: submitted.job?.id ?? "" } });
    const item = await runOne(service, journal);
    expect(item).toMatchObject({ fromJournal: false, job: { id: submitted.job?.id } });
    expect(item?.error).toBeUndefined();
    expect(service.submissions()).toHaveLength(1);
    expect(journal.entries.get("a")?.state).toBe("succeeded");
  });

  it.each([
    ["was received", responseLost],
    ["was not received", requestLost],
  ])("resubmits the same body under the same key if the earlier one %s", async (_name, faults) => {
    const { service, journal } = await openInterrupted(faults);
    expect(journal.entries.get("a")).toMatchObject({ state: "sending" });
    await service.mock.clock.advance("20m");
    const item = await runOne(service, journal, { sync: false });
    expect(item?.result).toBeDefined();
    expect(await service.balance()).toBe(992);
    // The first run set `sync`, which is a part of the body.
    expect([service.bodies().size, service.keys().size]).toEqual([1, 1]);
  });

  it("stops waiting in the submission after a proxy cut off a response", async () => {
    const { service, journal } = open({ options: { syncCut: 30 }, latency: "40s" });
    await runAll(service, [order("a"), order("b")], journal, { concurrency: 1 });
    expect(["a", "b"].map((id) => journal.entries.get(id)?.sync)).toEqual([true, false]);
    expect(await service.balance()).toBe(984);
  });

  it("polls if the timeout is shorter than a synchronous wait, so that the job is known", async () => {
    const { service, journal } = open({ latency: "50s" });
    const item = await runOne(service, journal, { timeout: "30s" });
    expect(item).toMatchObject({ error: { code: "wait_timed_out" }, job: { status: "running" } });
    expect(journal.entries.get("a")).toMatchObject({ state: "submitted", sync: false });
  });

  it("waits while the service handles another request with the key", async () => {
    const { service, journal } = await openInterrupted(requestLost, {
      options: { concurrentTwin: 409 },
      latency: "60s",
    });
    const idempotencyKey = journal.entries.get("a")?.idempotencyKey;
    // Another program sends it at the same time.
    void service
      .client({ fetch: service.mock.fetch })
      .run(input, { idempotencyKey, keyInMetadata: true, sync: true })
      .catch(() => undefined);
    await service.mock.clock.advance("1s");
    expect((await runOne(service, journal))?.result).toBeDefined();
    expect(await service.balance()).toBe(992);
  });
});

/** Returns a client whose clock advances by `sleep` during the request that the returned fault handles. */
function sleepingClient(
  { mock, client }: TestService,
  sleep: number,
  budget?: { maxCredits: number },
) {
  const { shifted, shift } = shiftedClock(mock.clock);
  const fault: Fault = async (_request, pass) => {
    shift(sleep);
    return pass();
  };
  return { tryon: client({ clock: shifted, budget }), fault };
}

describe("an item with an unknown outcome after its key expired", () => {
  it("is found by the key in its metadata, with one iteration for all items", async () => {
    const { service, journal } = open({ options: { idempotencyHours: 1 } });
    const orders = ["a", "b", "c"].map((sku) => order(sku));
    for (const one of orders) {
      service.faults.push(...(one.sku === "a" ? [undefined] : []), ...responseLost);
      await runAll(service, [one], journal);
      service.faults.length = 0;
    }
    const others = Array.from({ length: 70 }, () => service.tryon.submit(input));
    await service.run(Promise.all(others));
    await service.mock.clock.advance("2h");
    const before = service.sent.length;
    const items = await runAll(service, orders, journal);
    expect(items.filter(({ result }) => result)).toHaveLength(3);
    const after = service.sent.slice(before);
    expect(after.filter(({ method }) => method === "POST")).toEqual([]);
    // Four pages of 20 jobs.
    expect(after.filter(({ url }) => url.includes("cursor=")).length).toBeLessThanOrEqual(3);
    expect(await service.balance()).toBe(1_000 - 73 * 8);
    expect(journal.entries.get("a")?.state).toBe("succeeded");
  });

  it("fails with outcome_unknown if the list does not contain it, and recover() searches again", async () => {
    const { service, journal } = await openInterrupted(requestLost);
    await service.mock.clock.advance("31m");
    const before = service.submissions().length;
    const error = (await runOne(service, journal))?.error;
    if (!isTryOnError(error, "outcome_unknown")) throw error ?? new Error("It succeeded.");
    expect(error).toMatchObject({
      message: expect.stringContaining('"a"'),
      search: "list_too_short",
    });
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
    const client = (): TryOn => service.client({ apiKey: token });
    const journal = await interrupted(service, responseLost, never, { tryon: client() });
    await service.mock.clock.advance("40m");
    const before = service.submissions().length;
    const startedAt = service.mock.clock.now();
    await runAll(service, [never, order("b")], journal, { tryon: client() });
    const [next] = service.submissions().slice(before);
    expect((next?.at ?? 0) - startedAt).toBeLessThan(5_000);
  });

  it("has the error of the list as its cause", async () => {
    const { service, journal } = await openInterrupted(responseLost);
    await service.mock.clock.advance("31m");
    service.faults.push(respondWith(404, "<h1>Nothing here</h1>"));
    const item = await runOne(service, journal);
    expect(item?.error).toMatchObject({ code: "outcome_unknown", cause: { code: "not_found" } });
    expect((await runOne(service, journal))?.result).toBeDefined();
  });

  it.each(["the clock was set back", "its turn", "the request"])(
    "is not sent if the machine slept until %s",
    async (moment) => {
      const { service, journal } = await openInterrupted(requestLost);
      const before = service.submissions().length;
      let tryon = service.client();
      if (moment === "its turn") {
        // It sleeps during the request for the rate limit.
        const sleeping = sleepingClient(service, 7_200_000);
        service.faults.push(sleeping.fault);
        ({ tryon } = sleeping);
      } else if (moment === "the request") {
        await service.mock.clock.advance("29m");
        // The first request reads the rate limit, the second one the prices for the budget.
        const sleeping = sleepingClient(service, 120_000, { maxCredits: 100 });
        service.faults.push(undefined, sleeping.fault);
        ({ tryon } = sleeping);
      } else {
        const entry = journal.entries.get("a");
        if (entry) await journal.put({ ...entry, sentAt: entry.sentAt + 3_600_000 });
      }
      const item = await runOne(service, journal, { tryon });
      expect(item?.error).toMatchObject({ code: "outcome_unknown" });
      expect(service.submissions()).toHaveLength(before);
    },
  );

  it("is not retried after its key expired", async () => {
    const { service, journal } = await openInterrupted(requestLost);
    const { sentAt = 0 } = journal.entries.get("a") ?? {};
    await service.mock.clock.advance("26m");
    const before = service.submissions().length;
    service.mock.faults.add({ on: "POST /api/v1/tryon", status: 429, retryAfter: 30, times: 9 });
    expect((await runOne(service, journal))?.error).toMatchObject({ code: "outcome_unknown" });
    const after = service.submissions().slice(before);
    expect(after.length).toBeGreaterThan(0);
    for (const { at } of after) expect(at - sentAt).toBeLessThanOrEqual(0.9 * 1_800_000);
  });
});

it.each([0, 5_000])(
  "an item is made once if the service keeps keys for half an hour, with a latency of %i ms",
  async (latency) => {
    const { service, journal } = await openInterrupted(responseLost, {
      options: { idempotencyHours: 0.5 },
    });
    const sentAt = journal.entries.get("a")?.sentAt ?? Number.NaN;
    await service.mock.clock.advance(sentAt + 1_800_000 - latency - service.mock.clock.now());
    service.faults.push({ latency: 2 * latency });
    expect((await runOne(service, journal))?.result).toBeDefined();
    await service.mock.clock.advance("1m");
    expect(await service.balance()).toBe(992);
  },
);

describe("the same id", () => {
  const changed = order("a", { prompt: "in blue" });

  it("with another input fails before anything is sent", async () => {
    const { service, journal } = open();
    await runOne(service, journal);
    const count = service.sent.length;
    const item = await runOne(service, journal, {}, changed);
    expect(item?.error).toMatchObject({ code: "invalid_input", issues: [{ field: "id" }] });
    expect(item?.error?.message).toContain('"a" was submitted before with another input');
    expect(service.sent).toHaveLength(count);
    expect(journal.entries.get("a")?.state).toBe("succeeded");
  });

  it("with another input is accepted after a refused submission", async () => {
    const { service, journal } = await openInterrupted([respondWith(422, { detail: "no" })]);
    expect(journal.entries.get("a")).toMatchObject({ state: "refused" });
    expect((await runOne(service, journal, {}, changed))?.result).toBeDefined();
    expect(journal.entries.get("a")?.state).toBe("succeeded");
  });

  it.each([
    ["the same", order("a")],
    ["another", changed],
  ])(
    "with %s input after a 402 has a new key, since some services keep the refusal",
    async (...row) => {
      const [, item] = row;
      const { service, journal } = open(
        { options: { refusedKey: "kept" } },
        { apiKey: "svc_live_empty" },
      );
      const pack = { pack_slug: "demo", shared_payment_granted_token: "spt_1" } as const;
      const refused = await runOrders(service, [order("a")], journal);
      expect(refused.read[0]?.error).toMatchObject({ code: "insufficient_credits" });
      await service.run(service.tryon.credits.purchase(pack));
      expect((await runOne(service, journal, {}, item))?.result).toBeDefined();
      expect(service.keys().size).toBe(2);
    },
  );

  it("after a 404 has the same key, since a gateway may have forwarded the submission", async () => {
    const service = createService();
    const page = respondAfter(404, "<h1>Not found</h1>");
    // The second request finds out if the service is at this URL.
    const journal = await interrupted(service, [page, undefined, page, page, page]);
    expect(journal.entries.get("a")).toMatchObject({ state: "sending" });
    expect((await runOne(service, journal))?.result).toBeDefined();
    expect(service.keys().size).toBe(1);
    expect(await service.balance()).toBe(992);
  });

  it("twice in one run fails the second item", async () => {
    const service = createService();
    const items = await runAll(service, [order("a"), order("a"), order("b")], memoryJournal());
    const second = items.find(({ index }) => index === 1);
    expect(second?.error).toMatchObject({ code: "invalid_input", issues: [{ field: "id" }] });
    expect(service.submissions()).toHaveLength(2);
  });
});

/** Returns the number of different digests that the journal has for these inputs. */
async function countDigests(inputs: readonly TryOnInput[]): Promise<number> {
  const journal = memoryJournal();
  const orders = inputs.map((one, index) => ({ sku: String(index), input: one }));
  await runAll(createService({ latency: 100 }), orders, journal);
  expect(journal.entries.size).toBe(inputs.length);
  return new Set([...journal.entries.values()].map(({ digest }) => digest)).size;
}

describe("the digest of an input", () => {
  const person = personUrl;
  const shirt = assetBytes("shirt.png");
  const base64 = Buffer.from(shirt).toString("base64");
  const other = shirt.slice();
  other[other.length - 1] = 1;
  const images = () => [
    shirt,
    new Blob([shirt]),
    { base64 },
    `data:image/png;base64,${base64}`,
    new Response(shirt),
    new Blob([shirt]).stream(),
  ];

  it.each<readonly [string, number, () => readonly TryOnInput[]]>([
    [
      "ignores aliases and the order of fields",
      1,
      () => [
        { person, garments: [shirtUrl], output_size: "2K", metadata: { a: 1, b: 2 } },
        { metadata: { b: 2, a: 1 }, size: "2k", garments: [new URL(shirtUrl)], person },
        { person_url: person, items: [shirtUrl], resolution: "2K", metadata: { a: 1, b: 2 } },
      ],
    ],
    [
      "ignores the type of its images",
      1,
      () => images().map((garment) => ({ person, garments: [garment] })),
    ],
    [
      "changes with everything that is sent",
      9,
      () => [
        input,
        { ...input, prompt: "in blue" },
        { ...input, person: shirtUrl },
        { ...input, garments: [shirtUrl, shirtUrl] },
        { person, garments: [shirt] },
        { person, garments: [other] },
        { person, garments: [other, shirt] },
        { person, garments: [shirt, other] },
        { person: shirt, garments: [shirtUrl] },
      ],
    ],
  ])("%s", async (_name, count, inputs) => {
    expect(await countDigests(inputs())).toBe(count);
  });

  it("is that of journals which earlier releases wrote", async () => {
    const journal = memoryJournal();
    const metadata = { z: 1, "10": [{ b: 1, a: null }], "9": "é", "010": true };
    const given = { sku: "a", input: { person, garments: [shirtUrl], metadata } };
    await runAll(createService({ latency: 100 }), [given], journal);
    const [entry] = journal.entries.values();
    expect(entry?.digest).toBe("8c5349152795e32bf6ec4b65872f6e2209f517f4ba562c0023f9263d579051e2");
  });

  it("is that of the input as it is sent, also if the caller changes it later", async () => {
    const service = createService();
    const [bytes, garments] = [shirt.slice(), new Array<TryOnInput["person"]>()];
    garments.push(bytes);
    const metadata = { sizes: { shirt: "M" } };
    // The first request reads the rate limit.
    service.faults.push((_request, pass) => {
      bytes.fill(0);
      garments.push(shirtUrl);
      metadata.sizes.shirt = "L";
      return pass();
    });
    // The list has one garment.
    const own = { garments, metadata } as TryOnFields;
    await runOne(service, memoryJournal(), {}, order("a", own));
    const sent = fieldsOf(service.submissions()[0]);
    expect(sent).toMatchObject({
      metadata: { sizes: { shirt: "M" } },
      garment_images_b64: [base64],
    });
    expect(sent).not.toHaveProperty("garment_urls");
  });

  it("rejects an item whose stream another item has read", async () => {
    const [used, response, stream] = [1, 2, 3].map(() => new Response(new Blob([shirt])));
    await used?.bytes();
    const orders = [
      order("a", { person: response }),
      order("b", { person: response }),
      order("c", { garments: [stream?.body ?? ""] }),
      order("d", { garments: [stream?.body ?? ""] }),
      order("e", { person: used }),
    ];
    const items = await runAll(createService(), orders, memoryJournal());
    const errors = new Map(items.map(({ id, error }) => [id, error]));
    expect([errors.get("a"), errors.get("c")]).toEqual([undefined, undefined]);
    for (const [id, field] of [
      ["b", "person"],
      ["d", "garments.0"],
      ["e", "person"],
    ] as const) {
      const issues = [{ field, code: "unreadable" }];
      expect(errors.get(id)).toMatchObject({ code: "invalid_input", issues });
    }
  });

  it("of an invalid input allows a corrected one under the same id", async () => {
    const { service, journal } = open();
    for (const wrong of [
      { person, garments: [] },
      { ...input, garments: [new Response("none", { status: 404 })] as const },
      { ...input, garments: [{ base64: "not base64!" }] as const },
      { ...input, garments: [new Blob([new Uint8Array(11_000_000)]).stream()] as const },
    ]) {
      const item = await runOne(service, journal, {}, { sku: "a", input: wrong });
      expect(item?.error).toMatchObject({ code: "invalid_input" });
    }
    expect(service.submissions()).toEqual([]);
    expect(journal.entries.get("a")?.state).toBe("refused");
    expect((await runOne(service, journal))?.result).toBeDefined();
  });
});

it("continues after a 403 for a submitted job, which can belong to another key", async () => {
  const { service, journal } = open({ options: { foreignJob: 403 } });
  const { token } = await service.mock.createKey({ credits: 100 });
  const former = service.client({ apiKey: token });
  await runOrders(service, [order("a")], journal, { tryon: former, sync: false, timeout: "1s" });
  const entry = journal.entries.get("a");
  expect(entry?.state).toBe("submitted");
  // Older releases stored no fingerprint of the key.
  if (entry?.job) {
    const job = { ...entry.job, apiKeyFingerprint: undefined };
    journal.entries.set("a", { ...entry, job, apiKeyFingerprint: undefined });
  }
  const items = await runAll(service, [order("a"), order("b")], journal);
  expect(items.map(({ error }) => isTryOnError(error) && error.code)).toEqual(["forbidden", false]);
  expect(items[1]?.result).toBeDefined();
});

describe("a refusal of a repeated submission", () => {
  it.each([402, 403, 422])(
    "(%i) does not exclude a job: the batch finds it by its key",
    async (status) => {
      const { service, journal } = await openInterrupted(responseLost);
      service.faults.push(undefined, respondWith(status, { detail: "no" }));
      expect((await runOne(service, journal))?.result).toBeDefined();
      expect(await service.balance()).toBe(992);
    },
  );

  it("is the cause of outcome_unknown if the list contains no job", async () => {
    const { service, journal } = await openInterrupted(requestLost);
    service.faults.push(undefined, respondWith(402, { detail: "no" }));
    const { error: stopped } = await runOrders(service, [order("a")], journal);
    // The batch pays for no other item.
    if (!(stopped instanceof BatchStoppedError)) throw stopped;
    const cause = { code: "insufficient_credits" };
    expect(stopped.cause).toMatchObject({ code: "outcome_unknown", cause });
    expect(journal.entries.get("a")?.state).toBe("sending");
    expect((await runOne(service, journal))?.result).toBeDefined();
  });
});

it("keeps the outcome unknown after an error of the client itself, without reading the list", async () => {
  const { service, journal } = await openInterrupted(responseLost);
  const before = service.sent.length;
  const tryon = service.client({ budget: { maxCredits: 1 } });
  const { error: stopped } = await runOrders(service, [order("a")], journal, { tryon });
  if (!(stopped instanceof BatchStoppedError)) throw stopped;
  expect(stopped.cause).toMatchObject({ code: "budget_exceeded" });
  expect(service.sent.slice(before).filter(({ path }) => path.endsWith("/tryon"))).toEqual([]);
  expect(journal.entries.get("a")?.state).toBe("sending");
});

function fail(): never {
  throw new Error("no space left");
}

/** Creates a shared journal with these results. */
const shared = (claim: unknown, kept: unknown = true) => ({
  ...memoryJournal(),
  name: "spring",
  claimTtl: 60_000,
  claim: async () => claim,
  putClaimed: async () => kept,
  renew: async () => undefined,
  release: async () => undefined,
});

describe("a failing journal", () => {
  const orders = ["a", "b", "c"].map((sku) => order(sku));

  it.each<[string, Partial<Journal>, Options, readonly string[]]>([
    ["written", { put: async () => fail() }, {}, ["/api/v1/account"]],
    ["read", { get: async () => fail() }, {}, []],
    ["listed for its budget", { list: fail }, { budget: { maxCredits: 8 } }, []],
  ])("that cannot be %s stops the batch before it submits an item", async (...row) => {
    const [, failing, options, paths] = row;
    const service = createService();
    const journal = { ...memoryJournal(), ...failing };
    const { error } = await runOrders(service, orders, journal, options);
    const cause = { message: "no space left" };
    expect(error).toMatchObject({ code: "batch_stopped", reason: "journal", cause });
    expect(service.sent.map(({ path }) => path)).toEqual(paths);
  });

  const claimed = { state: "claimed", entry: undefined };
  const entry = { id: "a", state: "succeeded", idempotencyKey: "k", digest: "d", sentAt: 0 };
  it.each<[string, string, object]>([
    ["get", "false", { get: async () => false }],
    ["get", "text", { get: async () => "" }],
    ["get", "a list", { get: async () => [] }],
    ["get", "another state", { get: async () => ({ ...entry, state: "done" }) }],
    ["get", "no key", { get: async () => ({ ...entry, idempotencyKey: undefined }) }],
    ["get", "no digest", { get: async () => ({ ...entry, digest: 1 }) }],
    ["get", "no time", { get: async () => ({ ...entry, sentAt: "0" }) }],
    ["list", "text", { list: () => ["a"] }],
    ["list", "nothing", { list: () => [undefined] }],
    ["claim", "nothing", shared(undefined)],
    ["claim", "true", shared(true)],
    ["claim", "another state", shared({ state: "ok", entry: undefined })],
    ["claim", "the end of no item", shared({ state: "ended", entry: undefined })],
    [
      "claim",
      "the end of a new item",
      shared({ state: "ended", entry: { ...entry, state: "sending" } }),
    ],
    ["claim", "a wrong entry", shared({ state: "claimed", entry: "a" })],
    ["putClaimed", "nothing", shared(claimed, null)],
    ["putClaimed", "text", shared(claimed, "false")],
  ])("whose method %s returns %s stops the batch before it submits an item", async (...row) => {
    const [method, , returned] = row;
    const service = createService();
    const journal: Journal = { ...memoryJournal(), ...returned };
    const { error } = await runOrders(service, orders, journal, { budget: { maxCredits: 8 } });
    expect(error).toMatchObject({ code: "batch_stopped", reason: "journal" });
    expect(String(Object(error).cause)).toContain(`The method ${method} of the journal`);
    expect(service.submissions()).toEqual([]);
  });

  it("may return null for an item without an entry", async () => {
    const { service, journal } = open();
    // Databases return it for a row that does not exist.
    const get = (id: string) => journal.get(id).then((found) => found ?? (null as never));
    const { read } = await runOrders(service, orders, { ...journal, get });
    expect(read.filter(({ result }) => result)).toHaveLength(3);
  });

  it("loses no result of a sent item", async () => {
    const service = createService();
    const journal = memoryJournal({ before: ({ state }) => state === "succeeded" && fail() });
    const { read, error } = await runOrders(service, orders, journal, { concurrency: 1 });
    expect(error).toMatchObject({ reason: "journal" });
    expect(read.map(({ result }) => result === undefined)).toEqual([false]);
    expect(service.submissions()).toHaveLength(1);
  });
});

describe("aborting a batch with a journal", () => {
  it("before an item is sent leaves its entry refused", async () => {
    const service = createService();
    const { signal, abort } = abortable();
    const journal = memoryJournal({ after: abort });
    await service.error(collect(ordersBatch(service, [order("a")], journal, { signal })));
    expect(service.submissions()).toEqual([]);
    expect(journal.entries.get("a")?.state).toBe("refused");
  });

  it("waits for pending writes, and the next run continues", async () => {
    const { service, journal } = open({ latency: "30s" });
    const { signal, abort } = abortable();
    const orders = [order("a"), order("b")];
    const work = collect(ordersBatch(service, orders, journal, { sync: false, signal }));
    const ended = work.catch(() => undefined);
    await service.mock.clock.advance("10s");
    abort();
    await ended;
    const states = [...journal.entries.values()].map(({ state }) => state);
    expect(states).toEqual(["submitted", "submitted"]);
    const items = await runAll(service, orders, journal);
    expect(items.filter(({ result }) => result)).toHaveLength(2);
    expect(service.submissions()).toHaveLength(2);
  });
});

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
