import { expect, it } from "vitest";

import { Budget } from "../index.ts";
import { respondWith, collect, createService, input } from "../../test/service.ts";

/** Saved data of a job that was changed. */
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

it.each(["succeeded", "failed", "running"])(
  "takes status, cost and image URL from one response of the service when saved data says %s",
  async (status) => {
    const { run, tryon, client, sent } = createService();
    const { job } = await run(tryon.run(input));
    const { jobs } = client();
    const resumed = jobs.resume(changed(job.id, status));
    expect(resumed.data).not.toHaveProperty("result_url");
    const before = sent.length;
    const { image, receipt } = await run(resumed.result());
    expect(sent).toHaveLength(before + 1);
    expect(receipt).toMatchObject({ credits: 8, balance: undefined });
    expect(await run(image.url())).toContain("/results/");
    expect((await run(image.bytes())).length).toBeGreaterThan(1_000);
    expect(sent).toHaveLength(before + 2);
    const [outcome] = await run(jobs.waitAll([changed(job.id, status)]));
    expect(sent).toHaveLength(before + 3);
    expect(outcome?.result?.receipt.credits).toBe(8);
    const updates = await run(collect(jobs.resume(changed(job.id, status))));
    expect(updates).toMatchObject([{ status: "succeeded", cost_credits: 8 }]);
    expect(sent.filter(({ url }) => url.startsWith("http://127.0.0.1:9"))).toEqual([]);
  },
);

it("replaces all saved data with the response of the service", async () => {
  const { run, client, faults } = createService();
  const resumed = client().jobs.resume(changed("job_1"));
  // A proxy removes credits.
  faults.push(respondWith(200, { job_id: "job_1", status: "succeeded" }));
  expect((await run(resumed.result())).receipt.credits).toBeUndefined();
});

it.each(["running", "succeeded", "failed"])(
  "does not change a budget when saved data says %s",
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
