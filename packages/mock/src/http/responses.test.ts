import { describe, expect, test } from "vitest";

import { createMock } from "../mock.ts";
import { caller, finished } from "../../test/caller.ts";
import { covers } from "../../test/covers.ts";

describe("the answer to a submission where the server leaves out what its shape does not list", () => {
  const sparse = { clock: "manual", options: { sparseSubmit: true } } as const;

  test.each([
    ["that is not held", { wait: false }, ["job_id", "status"]],
    [
      "that succeeds",
      { wait: true },
      ["cost_credits", "credits_remaining", "job_id", "result_url", "status"],
    ],
    [
      "that fails",
      { wait: true, prompt: "mock:content_blocked" },
      ["error_code", "error_message", "job_id", "status"],
    ],
    [
      "that runs into the limit",
      { wait: true, prompt: "mock:never" },
      ["job_id", "message", "status"],
    ],
  ])("has for one %s those fields alone", async (_what, fields, names) => {
    covers(
      "submit-response.job-id.form",
      "submit-response.status.values",
      "submit.shape.cost-credits",
      "errors.after-model.http-200",
    );
    const mock = createMock(sparse);
    const answer = caller(mock).submit(fields);
    await mock.clock.advance("90s");
    expect(Object.keys((await answer).body).toSorted()).toEqual(names);
  });
});

describe("the seed of a job", () => {
  test("is null by default when none was sent", async () => {
    covers("submit-response.seed.not-given");
    const mock = createMock({ clock: "manual" });
    expect((await caller(mock).submit()).body.seed).toBeNull();
  });

  test("is made up where the server does so, stays the same, and gives the same image again", async () => {
    covers("submit-response.seed.used", "submit-response.seed.not-given", "job.seed.used");
    const mock = createMock({ clock: "manual", options: { inventSeed: true } });
    const call = caller(mock);
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
    expect((await call.submit({ seed: 5 })).body.seed).toBe(5);
    expect((await call.submit()).body.seed).not.toBe(first.seed);
  });
});

describe("times", () => {
  test.each([
    ["Z", "2026-01-01T00:00:01Z"],
    ["offset", "2026-01-01T00:00:01+00:00"],
    ["naive", "2026-01-01T00:00:01"],
  ] as const)("are written with timeFormat %s as %s", async (timeFormat, expected) => {
    covers("job.created-at.form", "job.completed-at.form", "webhook.body.completed-at");
    const bodies: unknown[] = [];
    const mock = createMock({
      clock: "manual",
      options: { timeFormat },
      sendWebhook: async (request) => {
        bodies.push(await request.json());
        return new Response();
      },
    });
    await mock.clock.advance("1s");
    const call = caller(mock);
    const job = await finished(mock, call, { webhook_url: "https://a.example/hook" });
    expect(job.created_at).toBe(expected);
    expect(job.completed_at).toBe(expected.replace(":01", ":02"));
    expect(bodies).toMatchObject([{ completed_at: expected.replace(":01", ":02") }]);
  });
});
