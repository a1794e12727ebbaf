import { describe, expect, it } from "vitest";

import { respondWith, createService, input, profiles } from "../../test/service.ts";

describe.each(profiles)("jobs.list under the profile %s", (profile) => {
  it("gives every job once, newest first, whatever the size of the pages", async () => {
    const { run, tryon } = createService({ profile });
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

  it("lists only jobs in the state asked for, under whichever name the service knows the filter", async () => {
    for (const filterName of ["both", "status_filter", "status"] as const) {
      const { run, tryon } = createService({ profile, options: { filterName } });
      await run(tryon.run({ ...input, prompt: "mock:model_rejected" }).catch(() => undefined));
      const { job } = await run(tryon.run(input));
      const listed = await run(tryon.jobs.list({ status_filter: "succeeded", limit: 1 }).toArray());
      expect(listed.map(({ id }) => id)).toEqual([job.id]);
    }
  });
});

const page = (next: string) => respondWith(200, { jobs: [], next_cursor: next });

describe("jobs.list", () => {
  it("stops at a cursor that comes back", async () => {
    const { error, tryon, faults } = createService();
    faults.push(page("job_a"), page("job_b"), page("job_a"));
    expect(await error(tryon.jobs.list().toArray())).toMatchObject({ code: "unexpected_response" });
  });

  it("asks for nothing when nothing is wanted", async () => {
    const { tryon, sent } = createService();
    expect(await tryon.jobs.list().toArray({ limit: 0 })).toEqual([]);
    expect(sent).toEqual([]);
  });
});
