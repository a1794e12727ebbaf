import { expect, it } from "vitest";

import { isFailed, isSucceeded, TryOn } from "../index.ts";
import { createService, input } from "../../test/service.ts";

/** Values that types would refuse. */
const untyped = (value: unknown): never => value as never;

const purchase = { pack_slug: "starter", shared_payment_granted_token: "spt_1" } as const;

it.each([
  [{ basUrl: "https://tryon.example" }, "Did you mean baseUrl?"],
  [{ api_key: "svc_test_a" }, "Did you mean apiKey?"],
  [{ maxRetries: 3 }, "Did you mean retries?"],
  [{ zebra: 1 }, "Remove it."],
])("refuses the unknown client option of %j", (options, hint) => {
  const [name = ""] = Object.keys(options);
  const create = () => new TryOn(untyped({ ...options }));
  expect(create).toThrow(expect.objectContaining({ code: "invalid_config" }));
  expect(create).toThrow(`${name} is not an option of TryOn. ${hint}`);
});

it.each<[string, (tryon: TryOn, options: never) => Promise<unknown>, object, string]>([
  ["run", (tryon, options) => tryon.run(input, options), { idempotencykey: "a" }, "idempotencyKey"],
  ["run", (tryon, options) => tryon.run(input, options), { hold: true }, ""],
  ["submit", (tryon, options) => tryon.submit(input, options), { timeOut: "3m" }, "timeout"],
  ["submit", (tryon, options) => tryon.submit(input, options), { sync: true }, ""],
  ["jobs.get", ({ jobs }, options) => jobs.get("job_1", options), { timeOut: 5 }, "timeout"],
  [
    "jobs.list",
    ({ jobs }, options) => jobs.list(options).toArray(),
    { statusFilter: 1 },
    "status_filter",
  ],
  ["jobs.waitAll", ({ jobs }, options) => jobs.waitAll([], options), { onsettled: 1 }, "onSettled"],
  [
    "result",
    ({ jobs }, options) => jobs.resume("job_1").result(options),
    { on_update: 1 },
    "onUpdate",
  ],
  [
    "updates",
    ({ jobs }, options) => jobs.resume("job_1").updates(options).next(),
    { time_out: 5 },
    "timeout",
  ],
  ["account.get", ({ account }, options) => account.get(options), { signals: 1 }, "signal"],
  ["costs", (tryon, options) => tryon.costs(options), { time_out: 5 }, "timeout"],
  [
    "credits.purchase",
    ({ credits }, options) => credits.purchase(purchase, options),
    { Timeout: 5 },
    "timeout",
  ],
  [
    "credits.waitForPurchase",
    ({ credits }, options) => credits.waitForPurchase(purchase, options),
    { timeouts: 5 },
    "timeout",
  ],
])("rejects an unknown option of %s", async (_method, call, options, likely) => {
  const { error, tryon, sent } = createService();
  const [name = ""] = Object.keys(options);
  const rejected = await error(call(tryon, untyped(options)));
  expect(rejected).toMatchObject({ code: "invalid_input", issues: [{ field: name }] });
  const hint = likely ? `Did you mean ${likely}?` : "Remove it.";
  expect(String(rejected)).toContain(`${name} is not an option of this call. ${hint}`);
  expect(sent).toEqual([]);
});

it.each([{ sync: true }, { wait: true }])(
  "refuses %j with less time than the service takes for a synchronous response",
  async ({ sync, wait }) => {
    const { run, error, tryon, sent } = createService();
    const short = { timeout: "89s", ...(sync && { sync }) } as const;
    const refused = await error(tryon.run({ ...input, ...(wait && { wait }) }, short));
    expect(refused).toMatchObject({ code: "invalid_input", issues: [{ field: "timeout" }] });
    expect(String(refused)).toContain("89000 ms");
    expect(String(refused)).toContain("90000 ms");
    expect(sent).toEqual([]);
    await run(tryon.run(input, { sync: true, timeout: "90s" }));
  },
);

it("tells jobs that succeeded from jobs that failed", async () => {
  const { run, tryon, mock } = createService();
  const { job } = await run(tryon.run(input));
  mock.nextJob({ outcome: "content_blocked" });
  const failed = await run(tryon.submit(input));
  expect([isSucceeded(failed.data), isFailed(failed.data)]).toEqual([false, false]);
  await run(failed.result().catch(() => undefined));
  expect([isSucceeded(job.data), isFailed(job.data)]).toEqual([true, false]);
  expect([isSucceeded(failed.data), isFailed(failed.data)]).toEqual([false, true]);
});
