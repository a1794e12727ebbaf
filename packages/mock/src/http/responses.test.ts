import { expect, test } from "vitest";

import { finished, manualServer } from "../../test/caller.ts";
import { withReceiver } from "../../test/receiver.ts";
import { covers } from "../../test/covers.ts";

test.each([
  [{ wait: false }, ["job_id", "status"]],
  [{ wait: true }, ["cost_credits", "credits_remaining", "job_id", "result_url", "status"]],
  [
    { wait: true, prompt: "mock:content_blocked" },
    ["error_code", "error_message", "job_id", "status"],
  ],
  [{ wait: true, prompt: "mock:never" }, ["job_id", "message", "status"]],
])(
  "the option sparseSubmit reduces the response to %j to its documented fields %j",
  async (fields, names) => {
    covers(
      "submit-response.job-id.form",
      "submit.shape.cost-credits",
      "submit.shape.unlisted-fields",
    );
    const { mock, call } = manualServer({ options: { sparseSubmit: true } });
    const response = call.submit({ seed: 7, metadata: { sku: "A" }, ...fields });
    expect(Object.keys((await mock.clock.runUntil(response)).body).toSorted()).toEqual(names);
  },
);

test("the seed of a job without one is null, or chosen by the option inventSeed and gives the same image again", async () => {
  covers("submit-response.seed.used", "submit-response.seed.not-given", "job.seed.used");
  const { mock, call } = manualServer({ options: { inventSeed: true } });
  const imageOf = async (fields: Record<string, unknown>) => {
    const job = await finished(mock, call, fields);
    const response = await mock.fetch(job.result_url ?? "");
    return { seed: job.seed, bytes: Buffer.from(await response.arrayBuffer()) };
  };
  const first = await imageOf({});
  expect(first.seed).toBeGreaterThanOrEqual(0);
  expect(first.seed).toBeLessThanOrEqual(2_147_483_647);
  const again = await imageOf({ seed: first.seed });
  expect(again.bytes.equals(first.bytes)).toBe(true);
  const other = await imageOf({ seed: first.seed, prompt: "in red" });
  expect(other.bytes.equals(first.bytes)).toBe(false);
  expect((await call.submit({ seed: 5 })).body.seed).toBe(5);
  expect((await call.submit()).body.seed).not.toBe(first.seed);
  expect((await manualServer().call.submit()).body.seed).toBeNull();
});

test.each([
  ["Z", "2026-01-01T00:00:01Z"],
  ["offset", "2026-01-01T00:00:01+00:00"],
  ["naive", "2026-01-01T00:00:01"],
] as const)("times with timeFormat %s are written as %s", async (timeFormat, created) => {
  covers("job.created-at.form", "job.completed-at.form", "webhook.body.completed-at");
  const { mock, call, received } = withReceiver(undefined, { options: { timeFormat } });
  await mock.clock.advance("1s");
  const job = await finished(mock, call, { webhook_url: "https://a.example/hook" });
  const completed = created.replace(":01", ":02");
  expect(job).toMatchObject({ created_at: created, completed_at: completed });
  expect(received.map(({ body }) => body["completed_at"])).toEqual([completed]);
});
