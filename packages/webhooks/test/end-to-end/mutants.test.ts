import { describe, expect, it } from "vitest";
import { createReceiver } from "../../src/index.ts";
import type { ReceiverStore } from "../../src/index.ts";
import { allViolations } from "./delivery-record.ts";
import type { MakeReceiver } from "./fault-scenario.ts";
import type { ScenarioSettings } from "./scenario-run.ts";
import { longEnough, runScenario, runAll } from "./scenario-run.ts";
import { plansUpTo } from "./faults.ts";

const upToOne = plansUpTo(1);

/** Each wrong of the events of a receiver that is made otherwise, once. */
async function wrongsOf(setting: ScenarioSettings): Promise<readonly string[]> {
  return allViolations(await runAll({ claimTtl: 7_500, ...setting }, upToOne)).toSorted();
}

interface Fault {
  readonly name: string;
  readonly store: (shared: ReceiverStore) => ReceiverStore;
  readonly wrongs: readonly string[];
}

const faults: readonly Fault[] = [
  {
    name: "a receiver without claims",
    store: (shared) => ({ ...shared, claim: async () => "claimed" }),
    wrongs: [
      "hangs and ends: handled again after the note",
      "hangs and ends: handled twice at a time",
      "hangs and fails: handled twice at a time",
    ],
  },
  {
    name: "one that notes no end",
    store: (shared) => ({ ...shared, done: async () => undefined }),
    wrongs: ["hangs and ends: handled again after the note"],
  },
  {
    name: "one that notes the end before the beginning",
    store: (shared) => ({
      ...shared,
      claim: async (key, owner, ttl) => {
        const state = await shared.claim(key, owner, ttl);
        if (state === "claimed") await shared.done(key, 86_400_000);
        return state;
      },
    }),
    wrongs: [
      "fails: never handled to its end",
      "hangs and fails: never handled to its end",
      "is killed before the note: handled, and never noted",
      "is killed: never handled to its end",
    ],
  },
  {
    name: "one that does not give a claim up when its handler fails",
    store: (shared) => ({
      ...shared,
      claim: (key, owner) => shared.claim(key, owner, 86_400_000),
      release: async () => undefined,
    }),
    wrongs: [
      "fails: never handled to its end",
      "hangs and fails: never handled to its end",
      "is killed before the note: handled, and never noted",
      "is killed: never handled to its end",
    ],
  },
];

describe.each(faults)("$name", ({ store, wrongs }) => {
  it.each(["same", "resigned"] as const)("is found out with the %s body", async (webhookBody) => {
    expect(await wrongsOf({ webhookBody, store })).toEqual(wrongs);
  });
});

/** A receiver that knows an event by something else than what was signed. */
function knowingBy(keyOf: (request: Request) => Promise<string>): MakeReceiver {
  return (options) => {
    const { store } = options;
    if (store === undefined) throw new TypeError("store: a performance always has one.");
    return async (request) => {
      const key = await keyOf(request.clone());
      const keyed: ReceiverStore = {
        claim: (_key, owner, ttl) => store.claim(key, owner, ttl),
        done: (_key, ttl) => store.done(key, ttl),
        release: (_key, owner) => store.release(key, owner),
      };
      return createReceiver({ ...options, store: keyed })(request);
    };
  };
}

describe("a receiver that knows an event by a digest of its body", () => {
  const make = knowingBy(async (request) => {
    const digest = await crypto.subtle.digest("SHA-256", await request.arrayBuffer());
    return Buffer.from(digest).toString("hex");
  });

  it("handles it twice where each attempt is signed anew", async () => {
    expect(await wrongsOf({ webhookBody: "resigned", make })).toEqual([
      "hangs and ends: handled again after the note",
      "hangs and ends: handled twice at a time",
      "hangs and fails: handled twice at a time",
    ]);
  });

  it("is found out by that alone", async () => {
    expect(await wrongsOf({ webhookBody: "same", make })).toEqual([]);
  });
});

/** The wrongs of an event that was handled, when its request comes again with fewer headers. */
async function sentAgain(make: MakeReceiver): Promise<readonly string[]> {
  const { mock, ordeals, fates } = await runScenario({ webhookBody: "same", make }, [[]]);
  await mock.clock.advance(longEnough);
  const [ordeal] = ordeals;
  const request = ordeal?.last ?? new Request("https://shop.example/");
  request.headers.delete("x-service-job-id");
  request.headers.delete("x-service-event");
  const answer = await ordeal?.receive(request);
  expect(answer?.status).toBe(204);
  const wrongs = allViolations(await fates());
  mock.close();
  return wrongs;
}

describe("a delivery that somebody recorded and sends again without the headers that are not signed", () => {
  it("is handled again by a receiver that knows it by them", async () => {
    const make = knowingBy(
      async ({ headers }) => headers.get("x-service-job-id") ?? crypto.randomUUID(),
    );
    expect(await sentAgain(make)).toEqual(["no trouble: handled again after the note"]);
  });

  it("is not handled again by one that knows it by what was signed", async () => {
    expect(await sentAgain(createReceiver)).toEqual([]);
  });
});
