import { describe, expect, it } from "vitest";

import { respondWith, createService, input } from "../../test/service.ts";

describe("jobs.list", () => {
  it("returns every job once, newest first, with pages of any size", async () => {
    const { run, tryon } = createService();
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.unshift((await run(tryon.submit(input))).id);
    await run(tryon.jobs.resume(ids[0] ?? "").result());
    const listed = await run(tryon.jobs.list({ limit: 2 }).toArray());
    expect(listed.map(({ id }) => id)).toEqual(ids);
    expect(await run(tryon.jobs.list({ limit: 2 }).toArray({ limit: 3 }))).toHaveLength(3);
    const page = await run(tryon.jobs.list({ limit: 2 }).page());
    expect(page.jobs.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const next = await run(tryon.jobs.list({ limit: 2 }).page(page.nextCursor ?? undefined));
    expect(next.jobs.map(({ id }) => id)).toEqual(ids.slice(2, 4));
  });

  it.each(["both", "status_filter", "status"] as const)(
    "filters by status if the service accepts the filter name %s",
    async (filterName) => {
      const { run, tryon } = createService({ options: { filterName } });
      await run(tryon.run({ ...input, prompt: "mock:model_rejected" }).catch(() => undefined));
      const { job } = await run(tryon.run(input));
      const listed = await run(tryon.jobs.list({ status_filter: "succeeded", limit: 1 }).toArray());
      expect(listed.map(({ id }) => id)).toEqual([job.id]);
    },
  );

  it("fails at a repeated cursor", async () => {
    const { error, tryon, faults } = createService();
    for (const next_cursor of ["job_a", "job_b", "job_a"]) {
      faults.push(respondWith(200, { jobs: [], next_cursor }));
    }
    expect(await error(tryon.jobs.list().toArray())).toMatchObject({ code: "unexpected_response" });
  });

  it("sends no request for a limit of 0", async () => {
    const { tryon, sent } = createService();
    expect(await tryon.jobs.list().toArray({ limit: 0 })).toEqual([]);
    expect(sent).toEqual([]);
  });
});
