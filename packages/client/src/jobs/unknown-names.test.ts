import { expect, it } from "vitest";

import { isFailed, isSucceeded, TryOn } from "../index.ts";
import { createService, input, shirtUrl } from "../../test/service.ts";

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

it.each([
  ["run", { idempotencykey: "a" }, "Did you mean idempotencyKey?"],
  ["run", { hold: true }, "Remove it."],
  ["submit", { timeOut: "3m" }, "Did you mean timeout?"],
  ["submit", { sync: true }, "Remove it."],
] as const)("refuses the unknown option of %s in %j", async (method, options, hint) => {
  const { error, tryon, sent } = createService();
  const [name = ""] = Object.keys(options);
  const refused = await error(tryon[method](input, untyped(options)));
  expect(refused).toMatchObject({ code: "invalid_input", issues: [{ field: name }] });
  expect(String(refused)).toContain(`${name} is not an option of this call. ${hint}`);
  expect(sent).toEqual([]);
});

it.each<[string, (tryon: TryOn, options: never) => Promise<unknown>, object, string]>([
  ["jobs.get", (tryon, options) => tryon.jobs.get("job_1", options), { timeOut: 5 }, "timeout"],
  [
    "jobs.list",
    (tryon, options) => tryon.jobs.list(options).toArray(),
    { statusFilter: "failed" },
    "status_filter",
  ],
  [
    "jobs.waitAll",
    (tryon, options) => tryon.jobs.waitAll(["job_1"], options),
    { onsettled: Boolean },
    "onSettled",
  ],
  [
    "result",
    (tryon, options) => tryon.jobs.resume("job_1").result(options),
    { on_update: Boolean },
    "onUpdate",
  ],
  [
    "updates",
    (tryon, options) => tryon.jobs.resume("job_1").updates(options).next(),
    { time_out: 5 },
    "timeout",
  ],
  ["account.get", (tryon, options) => tryon.account.get(options), { signals: 1 }, "signal"],
  ["costs", (tryon, options) => tryon.costs(options), { time_out: 5 }, "timeout"],
  [
    "credits.purchase",
    (tryon, options) => tryon.credits.purchase(purchase, options),
    { Timeout: 5 },
    "timeout",
  ],
  [
    "credits.waitForPurchase",
    (tryon, options) => tryon.credits.waitForPurchase(purchase, options),
    { timeouts: 5 },
    "timeout",
  ],
])("rejects an unknown option of %s", async (_method, call, options, likely) => {
  const { error, tryon, sent } = createService();
  const [name = ""] = Object.keys(options);
  const rejected = await error(call(tryon, untyped(options)));
  expect(rejected).toMatchObject({ code: "invalid_input", issues: [{ field: name }] });
  expect(String(rejected)).toContain(
    `${name} is not an option of this call. Did you mean ${likely}?`,
  );
  expect(sent).toEqual([]);
});

it("refuses unknown fields before anything is sent, and names the likely ones", async () => {
  const { error, tryon, sent } = createService();
  const misspelled = untyped({ ...input, outputSize: "2K", garment_url: shirtUrl, weather: "sun" });
  const refused = await error(tryon.submit(misspelled));
  expect(refused).toMatchObject({
    code: "invalid_input",
    issues: [
      { field: "outputSize", code: "unknown_field" },
      { field: "garment_url", code: "unknown_field" },
      { field: "weather", code: "unknown_field" },
    ],
  });
  const text = String(refused);
  expect(text).toContain("did you mean output_size?");
  expect(text).toContain("did you mean garment_urls?");
  expect(text).toContain("extra");
  expect(sent).toEqual([]);
});

it("sends the fields of extra, which may not hide known ones", async () => {
  const { run, error, tryon, sent } = createService();
  await run(tryon.submit({ ...input, extra: { background: "studio" } }));
  expect(JSON.parse(sent[0]?.body ?? "")).toMatchObject({ background: "studio" });
  for (const name of ["output_size", "size", "person", "wait"]) {
    const hidden = await error(tryon.submit({ ...input, extra: { [name]: "4K" } }));
    expect(hidden).toMatchObject({ code: "invalid_input", issues: [{ field: `extra.${name}` }] });
  }
  const list = await error(tryon.submit({ ...input, extra: untyped(["a"]) }));
  expect(list).toMatchObject({ code: "invalid_input", issues: [{ field: "extra" }] });
  expect(sent).toHaveLength(1);
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
