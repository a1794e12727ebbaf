import { describe, expect, it } from "vitest";
import { createReceiver, type ReceiverStore } from "../../src/index.ts";
import type { CreateReceiver } from "./fault-scenario.ts";
import { allViolations, plansUpTo } from "./faults.ts";
import { runScenarios, runTime, startScenarios, type ScenarioSettings } from "./run-scenarios.ts";

async function violationsOf(settings: ScenarioSettings): Promise<readonly string[]> {
  return allViolations(
    await runScenarios({ claimTtl: 7_500, ...settings }, plansUpTo(1)),
  ).toSorted();
}

const repeated = [
  "hangs and ends: handled again after it was recorded",
  "hangs and ends: handled concurrently",
  "hangs and fails: handled concurrently",
];
const lost = [
  "fails: never handled",
  "hangs and fails: never handled",
  "is killed before done: handled, never recorded",
  "is killed: never handled",
];

describe.each<[string, (shared: ReceiverStore) => Partial<ReceiverStore>, readonly string[]]>([
  ["grants every claim", () => ({ claim: async () => "claimed" }), repeated],
  ["does not store done", () => ({ done: async () => undefined }), repeated.slice(0, 1)],
  [
    "stores done before the handler",
    (shared) => ({
      claim: async (key, owner, ttl) => {
        const state = await shared.claim(key, owner, ttl);
        if (state === "claimed") await shared.done(key, 86_400_000);
        return state;
      },
    }),
    lost,
  ],
  [
    "does not release the claim of a failed handler",
    (shared) => ({
      claim: (key, owner) => shared.claim(key, owner, 86_400_000),
      release: async () => undefined,
    }),
    lost,
  ],
])("a receiver that %s", (_name, mutate, expected) => {
  it.each(["same", "resigned"] as const)("is detected with the %s body", async (webhookBody) => {
    expect(await violationsOf({ webhookBody, changeStore: mutate })).toEqual(expected);
  });
});

/** Creates receivers that identify an event by another key than its signed fields. */
function identifyingBy(keyOf: (request: Request) => Promise<string>): CreateReceiver {
  return (options) => {
    const { store } = options;
    if (store === undefined) throw new TypeError("store: a scenario always has one.");
    return async (given) => {
      // The harness delivers requests of fetch.
      const request = given as Request;
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

describe("a receiver that identifies an event by the digest of its body", () => {
  const create = identifyingBy(async (request) => {
    const digest = await crypto.subtle.digest("SHA-256", await request.arrayBuffer());
    return Buffer.from(digest).toString("hex");
  });

  it.each([
    ["resigned", repeated],
    ["same", []],
  ] as const)("has violations with the %s body: %j", async (webhookBody, expected) => {
    expect(await violationsOf({ webhookBody, create })).toEqual(expected);
  });
});

describe("a recorded delivery that is sent again without its unsigned headers", () => {
  const byHeader = identifyingBy(
    async ({ headers }) => headers.get("x-service-job-id") ?? crypto.randomUUID(),
  );

  it.each<[string, CreateReceiver, string[]]>([
    ["its headers", byHeader, ["no fault: handled again after it was recorded"]],
    ["its signed fields", createReceiver, []],
  ])("has violations if the receiver identifies it by %s: %j", async (_name, create, expected) => {
    const { mock, scenarios, outcomes } = await startScenarios({ webhookBody: "same", create }, [
      [],
    ]);
    await mock.clock.advance(runTime);
    const [scenario] = scenarios;
    const request = scenario?.lastRequest ?? new Request("https://shop.example/");
    request.headers.delete("x-service-job-id");
    request.headers.delete("x-service-event");
    expect(await scenario?.receive(request)).toMatchObject({ status: 204 });
    expect(allViolations(await outcomes())).toEqual(expected);
    mock.close();
  });
});
