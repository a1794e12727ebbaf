import { expect, it } from "vitest";

import { Budget } from "../index.ts";
import { respondWith, createService, input } from "../../test/service.ts";

/** Saved data that was changed. */
const changed = (id: string, status = "succeeded") => ({
  id,
  data: {
    job_id: id,
    status,
    result_url: "http://127.0.0.1:9/internal.png",
    cost_credits: 0,
    credits_remaining: 1_000_000,
  },
});

it("takes status, cost and image URL from the service, whatever saved data says", async () => {
  const { run, tryon, client, sent } = createService();
  const { job } = await run(tryon.run(input));
  for (const status of ["succeeded", "failed", "running"]) {
    const resumed = client().jobs.resume(changed(job.id, status));
    expect(resumed.data).not.toHaveProperty("result_url");
    const before = sent.length;
    const { image, receipt } = await run(resumed.result());
    expect(sent).toHaveLength(before + 1);
    expect(receipt).toMatchObject({ credits: 8, balance: undefined });
    expect(await run(image.url())).toContain("/results/");
    await run(image.bytes());
  }
  expect(sent.filter(({ url }) => url.startsWith("http://127.0.0.1:9"))).toEqual([]);
});

it("replaces saved data as a whole once the service has answered", async () => {
  const { run, client, faults } = createService();
  const resumed = client().jobs.resume(changed("job_1"));
  // As through a proxy, which does not show credits.
  faults.push(respondWith(200, { job_id: "job_1", status: "succeeded" }));
  expect((await run(resumed.result())).receipt.credits).toBeUndefined();
});

it("yields what the service says, not what was saved", async () => {
  const { run, tryon, client } = createService();
  const { job } = await run(tryon.run(input));
  const seen: unknown[] = [];
  const loop = async (): Promise<void> => {
    for await (const { status, cost_credits } of client().jobs.resume(changed(job.id, "failed"))) {
      seen.push([status, cost_credits]);
    }
  };
  await run(loop());
  expect(seen).toEqual([["succeeded", 8]]);
});

it.each(["running", "succeeded", "failed"])(
  "leaves a budget as it is when saved data says %s",
  async (status) => {
    const budget = new Budget({ maxCredits: 8 });
    const { run, error, client } = createService({ options: { sparseSubmit: false } });
    const tryon = client({ budget });
    const job = await run(tryon.submit(input));
    tryon.jobs.resume(changed(job.id, status));
    expect(budget.toJSON()).toMatchObject({ spent: 8, left: 0 });
    expect(await error(tryon.submit(input))).toMatchObject({ code: "budget_exceeded" });
  },
);
