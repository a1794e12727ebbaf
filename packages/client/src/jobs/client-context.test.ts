import { expect, it } from "vitest";

import { Budget, isTryOnError, type TryOnOptions } from "../index.ts";
import { createService, cut, input, respondWith, type TestService } from "../../test/service.ts";

/** Client whose function returns these keys in turn, the number of its calls, and the keys of the requests. */
async function createRotation(
  keys: (service: TestService, other: string) => readonly unknown[],
  options: TryOnOptions = {},
) {
  const service = createService();
  const { token: other } = await service.mock.createKey({ credits: 500 });
  const values = keys(service, other);
  let calls = 0;
  // Programs without types return anything.
  const apiKey = () => values[Math.min(calls++, values.length - 1)] as string;
  const tryon = service.client({ apiKey, ...options });
  const sentKeys = () =>
    service.sent.map(({ headers }) => headers.get("authorization")?.replace("Bearer ", ""));
  return { ...service, other, tryon, calls: () => calls, sentKeys };
}

const liveThenOther = ({ mock: { keys } }: TestService, other: string) => [keys.live, other];

it("calls the function once per call, for every attempt and all polls of the job", async () => {
  const { faults, tryon, run, calls, sentKeys, mock } = await createRotation(liveThenOther);
  faults.push(cut.refused, cut.after);
  const { job } = await run(tryon.run(input, { sync: false }));
  expect(calls()).toBe(1);
  expect(sentKeys().length).toBeGreaterThan(3);
  expect(new Set(sentKeys())).toEqual(new Set([mock.keys.live]));
  await run(job.result());
  expect(calls()).toBe(1);
});

it("keeps the key of a submission in recover()", async () => {
  const { faults, tryon, run, error, calls, sentKeys, mock, keys } = await createRotation(
    liveThenOther,
    { retries: 0 },
  );
  faults.push(cut.after);
  const failure = await error(tryon.submit(input));
  if (!isTryOnError(failure, "outcome_unknown")) throw failure;
  await run((await run(failure.recover())).result());
  expect(calls()).toBe(1);
  expect(new Set(sentKeys())).toEqual(new Set([mock.keys.live]));
  expect(keys().size).toBe(1);
});

it("repeats a rejected call with the next key, under the same idempotency key", async () => {
  const budget = new Budget({ maxCredits: 8 });
  const { tryon, run, calls, sentKeys, keys, other, mock } = await createRotation(
    (_service, valid) => ["svc_live_expired", valid],
    { budget },
  );
  const { receipt } = await run(tryon.run(input));
  expect(receipt.attempts.map(({ status }) => status).slice(0, 2)).toEqual([401, 200]);
  expect(keys().size).toBe(1);
  expect(calls()).toBe(2);
  expect(sentKeys().at(-1)).toBe(other);
  expect((await mock.ledger(other))?.balance).toBe(492);
  expect(budget.toJSON()).toMatchObject({ spent: 8, reserved: 0 });
  expect((await run(tryon.account.get())).credits_remaining).toBe(492);
});

it.each([
  ["returns the rejected key again", ["svc_live_old"], 1],
  [
    "always returns another key",
    ["svc_live_old", "svc_live_older", "svc_live_oldest", "svc_live_ancient"],
    2,
  ],
])("fails after two calls of a function that %s", async (_what, keys, requests) => {
  const { tryon, error, calls, sent } = await createRotation(() => keys);
  expect(await error(tryon.run(input))).toMatchObject({ code: "unauthorized" });
  expect([calls(), sent.length]).toEqual([2, requests]);
  expect(await error(tryon.account.get())).toMatchObject({ code: "unauthorized" });
  expect([calls(), sent.length]).toEqual([4, 2 * requests]);
});

it("does not use another key if an earlier attempt may have made the job", async () => {
  const { faults, tryon, error, calls, submissions, balance } = await createRotation(liveThenOther);
  faults.push(cut.after, respondWith(401, { detail: "Invalid API key" }));
  expect(await error(tryon.run(input))).toMatchObject({ code: "outcome_unknown" });
  expect(calls()).toBe(1);
  expect(submissions()).toHaveLength(2);
  expect(await balance()).toBe(992);
});

it("gets the key of a saved job from its first call", async () => {
  const { tryon, run, calls, sentKeys, mock, client } = await createRotation(
    ({ mock: { keys } }, other) => ["svc_live_expired", keys.live, other],
  );
  const job = await run(client().submit(input));
  const before = sentKeys().length;
  const resumed = tryon.jobs.resume(job.id);
  expect(calls()).toBe(0);
  const { image } = await run(resumed.result());
  await run(image.bytes());
  await run(resumed.result());
  expect(calls()).toBe(2);
  // Images are downloaded without a key.
  const used = new Set(sentKeys().slice(before + 1));
  expect(used).toEqual(new Set([mock.keys.live, undefined]));
});

it("calls the function once for all jobs of waitAll", async () => {
  const { tryon, run, calls, client } = await createRotation(({ mock: { keys } }) => [keys.live]);
  const one = await run(client().submit(input));
  const other = await run(client().submit(input));
  const outcomes = await run(tryon.jobs.waitAll([one.id, other.id]));
  expect(outcomes.map(({ error }) => error)).toEqual([undefined, undefined]);
  expect(calls()).toBe(1);
});

it("counts the calls of all keys in the budget of the client", async () => {
  const { tryon, run, error } = await createRotation(liveThenOther, { budget: { maxCredits: 16 } });
  await run(tryon.run(input));
  await run(tryon.run(input));
  expect(await error(tryon.run(input))).toMatchObject({ code: "budget_exceeded", spent: 16 });
});

it.each([
  ["throws", () => Promise.reject(new Error("vault is sealed")), { message: "vault is sealed" }],
  ["returns nothing", async () => undefined, { code: "invalid_config" }],
  ["returns a blank key", () => " ", { code: "invalid_config" }],
  ["returns a key with a line break", () => "svc_live_a\nb", { code: "invalid_config" }],
  ["does not return in time", () => new Promise(() => undefined), { code: "timed_out" }],
])("rejects a call before anything is sent if the function %s", async (_title, apiKey, failure) => {
  const { client, error, sent } = createService();
  const tryon = client({ apiKey: apiKey as () => string });
  expect(await error(tryon.run(input, { timeout: "2m" }))).toMatchObject(failure);
  expect(await error(tryon.account.get())).toMatchObject(failure);
  expect(sent).toEqual([]);
});
