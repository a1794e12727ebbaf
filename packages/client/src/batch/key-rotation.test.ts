import { describe, expect, it } from "vitest";

import { isTryOnError, type TryOnOptions } from "../index.ts";
import { makeDigestsInstant } from "../../test/instant-digests.ts";
import {
  interrupted,
  memoryJournal,
  order,
  requestLost,
  responseLost,
  runOrders,
  type MemoryJournal,
} from "../../test/memory-journal.ts";
import { createService, cut, input } from "../../test/service.ts";

makeDigestsInstant();

/** A service with an old key, which is that of its first client, and a new one. */
async function createAccount() {
  const service = createService();
  const { token } = await service.mock.createKey({ rateLimitPerMinute: 6_000 });
  const { live } = service.mock.keys;
  return {
    ...service,
    oldKey: live,
    newKey: token,
    rotated: (options: TryOnOptions = {}) => service.client({ apiKey: token, ...options }),
    /** Number of try-ons that were charged, under both keys. */
    charges: async () => {
      const ledgers = await Promise.all([service.mock.ledger(live), service.mock.ledger(token)]);
      return ledgers.flatMap((ledger) => ledger?.entries.filter(({ jobId }) => jobId) ?? []).length;
    },
  };
}

const states = async (journal: MemoryJournal) =>
  [...journal.entries.values()].map(({ state }) => state);

describe("a batch that continues under another API key", () => {
  it.each([
    ["a lost response", responseLost, 1],
    ["a lost request", requestLost, 0],
  ])(
    "never submits an item again after %s, and asks for the old key",
    async (_how, faults, made) => {
      const service = await createAccount();
      const journal = await interrupted(service, faults);
      expect(journal.entries.get("a")).toMatchObject({
        state: "sending",
        apiKeyFingerprint: expect.stringMatching(/^[\da-f]{16}$/),
      });
      const { read, error } = await runOrders(service, [order("a"), order("b")], journal, {
        tryon: service.rotated(),
      });
      expect(error).toBeUndefined();
      const open = read.find(({ id }) => id === "a")?.error;
      expect(open).toMatchObject({ code: "outcome_unknown", search: "other_api_key" });
      expect(open?.message).toContain("recoveryKeys");
      expect(read.find(({ id }) => id === "b")?.error).toBeUndefined();
      expect(await service.charges()).toBe(made + 1);
    },
  );

  it("finds the job of an open item with the old key in recoveryKeys, and charges nothing", async () => {
    const service = await createAccount();
    const journal = await interrupted(service, responseLost);
    const tryon = service.rotated({ recoveryKeys: [service.oldKey] });
    const { read } = await runOrders(service, [order("a")], journal, { tryon });
    expect(read[0]?.result?.job.status).toBe("succeeded");
    expect(await states(journal)).toEqual(["succeeded"]);
    const bytes = await service.run(read[0]?.result?.image.bytes() ?? Promise.resolve(undefined));
    expect(bytes?.length).toBeGreaterThan(0);
    expect(await service.charges()).toBe(1);
  });

  it("waits for a submitted job with the old key only", async () => {
    const service = await createAccount();
    const journal = await interrupted(service, [undefined, ...requestLost], order("a"), {
      sync: false,
      timeout: "1s",
    });
    expect(await states(journal)).toEqual(["submitted"]);
    const orders = [order("a"), order("b")];
    const { read, error } = await runOrders(service, orders, journal, { tryon: service.rotated() });
    expect(error).toBeUndefined();
    const open = read.find(({ id }) => id === "a");
    expect(open?.error).toMatchObject({ code: "invalid_config", job: { id: open?.job?.id } });
    expect(open?.error?.message).toContain("recoveryKeys");
    const tryon = service.rotated({ recoveryKeys: ["svc_live_older", service.oldKey] });
    const again = await runOrders(service, orders, journal, { tryon });
    expect(again.read.map(({ result }) => result?.job.status)).toEqual(["succeeded", "succeeded"]);
    expect(await service.charges()).toBe(2);
  });

  it("does not submit an open item again when the key function returns another key", async () => {
    const service = await createAccount();
    const journal = await interrupted(service, responseLost);
    let key = service.oldKey;
    const tryon = service.client({ apiKey: () => key });
    service.faults.push(undefined, () => {
      key = service.newKey;
      return Promise.resolve(Response.json({ detail: "revoked" }, { status: 401 }));
    });
    const { read } = await runOrders(service, [order("a")], journal, { tryon });
    // The old key of the function is still known.
    expect(read[0]?.result?.job.status).toBe("succeeded");
    expect(await service.charges()).toBe(1);
  });

  it("enters a new item under the key that it is sent with", async () => {
    const service = await createAccount();
    const journal = memoryJournal();
    const apiKey = () => (service.submissions().length > 0 ? service.newKey : "svc_live_revoked");
    const tryon = service.client({ apiKey });
    const { read } = await runOrders(service, [order("a")], journal, { tryon });
    expect(read[0]?.result?.job.status).toBe("succeeded");
    const prints = journal.puts.map(({ apiKeyFingerprint }) => apiKeyFingerprint);
    expect(new Set(prints).size).toBe(2);
    expect(prints.at(-1)).toBe(await service.rotated().apiKeyFingerprint());
  });

  it("searches for open items of older releases, which have no fingerprint, and never sends them again", async () => {
    const service = await createAccount();
    for (const faults of [responseLost, requestLost]) {
      const journal = await interrupted(service, faults);
      const { apiKeyFingerprint: _none, ...entry } = journal.entries.get("a") ?? {};
      // The rest of the entry is there.
      journal.entries.set("a", entry as (typeof journal.puts)[number]);
      const before = service.submissions().length;
      const { read } = await runOrders(service, [order("a")], journal, { tryon: service.client() });
      const { result, error } = read[0] ?? {};
      expect([result?.job.status, isTryOnError(error) && error.code]).toEqual(
        faults === responseLost ? ["succeeded", false] : [undefined, "outcome_unknown"],
      );
      expect(service.submissions().length).toBe(before);
    }
    expect(await service.charges()).toBe(1);
  });
});

describe("a saved job", () => {
  it("belongs to its API key", async () => {
    const service = await createAccount();
    const { run, error, tryon, rotated, oldKey } = service;
    const saved = (await run(tryon.submit(input))).toJSON();
    expect(saved.apiKeyFingerprint).toBe(await tryon.apiKeyFingerprint());
    expect(JSON.stringify(saved)).not.toContain(oldKey.slice("svc_live_".length));
    const sent = service.sent.length;
    expect(await error(rotated().jobs.resume(saved).result())).toMatchObject({
      code: "invalid_config",
      job: { id: saved.id },
    });
    expect(service.sent.length).toBe(sent);
    const other = rotated({ recoveryKeys: [oldKey] });
    const own = await run(other.submit(input));
    const outcomes = await run(other.jobs.waitAll([saved, own]));
    expect(outcomes.map(({ result }) => result?.job.status)).toEqual(["succeeded", "succeeded"]);
    expect(other.jobs.resume(saved).toJSON().apiKeyFingerprint).toBe(saved.apiKeyFingerprint);
  });
});

describe("a redelivery under another API key", () => {
  it("finds the job with the old key, and never submits", async () => {
    const service = await createAccount();
    const { tryon, mock, run, error, rotated, oldKey, client, faults } = service;
    const options = {
      idempotencyKey: "order-17",
      keyInMetadata: true,
      firstAttemptAt: mock.clock.now(),
      apiKeyFingerprint: await tryon.apiKeyFingerprint(),
      whenAbsent: "submit",
    } as const;
    faults.push(cut.after);
    await error(client({ retries: 0 }).submit(input, options));
    for (const wait of ["1m", "4h"] as const) {
      await mock.clock.advance(wait);
      expect(await error(rotated().submit(input, options))).toMatchObject({
        code: "outcome_unknown",
        search: "other_api_key",
      });
      const job = await run(rotated({ recoveryKeys: [oldKey] }).submit(input, options));
      expect(job.idempotencyKey).toBe("order-17");
    }
    const lost = { ...options, idempotencyKey: "order-18", firstAttemptAt: mock.clock.now() };
    await mock.clock.advance("4h");
    const absent = await error(rotated({ recoveryKeys: [oldKey] }).submit(input, lost));
    expect(absent).toMatchObject({ code: "outcome_unknown", search: "absent" });
    expect(await service.charges()).toBe(1);
  });
});
