import { expect, it } from "vitest";

import { isFailed, isSucceeded, type TryOn } from "../index.ts";
import { createService, input } from "../../test/service.ts";

/** Values that types would refuse. */
const untyped = (value: unknown): never => value as never;

const pack = { pack_slug: "starter", shared_payment_granted_token: "spt_1" } as const;

type Invoke = (tryon: TryOn, options: never) => Promise<unknown>;

it.each<[object, hint: string, Invoke]>([
  [{ idempotencykey: "a" }, "idempotencyKey", (tryon, options) => tryon.run(input, options)],
  [{ hold: true }, "", (tryon, options) => tryon.run(input, options)],
  [{ timeOut: "3m" }, "timeout", (tryon, options) => tryon.submit(input, options)],
  [{ sync: true }, "", (tryon, options) => tryon.submit(input, options)],
  [{ pollInterval: "1s" }, "", (tryon, options) => tryon.submit(input, options)],
  [{ time_Out: 5 }, "timeout", ({ jobs }, options) => jobs.get("job_1", options)],
  [{ statusFilter: 1 }, "status_filter", ({ jobs }, options) => jobs.list(options).toArray()],
  [{ onsettled: 1 }, "onSettled", ({ jobs }, options) => jobs.waitAll([], options)],
  [{ on_update: 1 }, "onUpdate", ({ jobs }, options) => jobs.resume("job_1").result(options)],
  [{ timout: 5 }, "timeout", ({ jobs }, options) => jobs.resume("job_1").updates(options).next()],
  [{ signals: 1 }, "signal", ({ account }, options) => account.get(options)],
  [{ time_out: 5 }, "timeout", (tryon, options) => tryon.costs(options)],
  [{ Timeout: 5 }, "timeout", ({ credits }, options) => credits.purchase(pack, options)],
  [{ timeouts: 5 }, "timeout", ({ credits }, options) => credits.waitForPurchase(pack, options)],
])("rejects the unknown option of a call in %j", async (options, likely, call) => {
  const { error, tryon, sent } = createService();
  const [name = ""] = Object.keys(options);
  const rejected = await error(call(tryon, untyped(options)));
  expect(rejected).toMatchObject({ code: "invalid_input", issues: [{ field: name }] });
  const hint = likely ? `Did you mean ${likely}?` : "Use one of: ";
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
