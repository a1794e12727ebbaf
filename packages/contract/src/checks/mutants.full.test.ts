import { createMock } from "@tryon/mock";
import { describe, expect, test } from "vitest";

import {
  areas,
  failures,
  foundIds,
  runAgainst,
  runArea,
  type Area,
} from "../../test/run-checks.ts";
import { mutantsOf } from "../../test/mutants/index.ts";
import { planted } from "../../test/mutants/mutant.ts";
import { jobs } from "../../test/mutants/mutated-responses.ts";
import { withoutJobs } from "../../test/mutants/requests/responses.ts";

const isSlow = (id: string): boolean => id.startsWith("large.") || id === "observed.oversize";

describe.each(Object.keys(areas) as Area[])("the checks of %s", (area) => {
  test.each(mutantsOf[area])("find only $expected for a server that $name", async (mutant) => {
    const { plant, expected, isPublic } = mutant;
    const isLeftOut = (id: string): boolean => isSlow(id) && !expected.some(isSlow);
    const report = await runArea(area, { allowPrivateWebhooks: !isPublic }, { plant, isLeftOut });
    expect(foundIds(report), failures(report)).toEqual(expected);
  });

  test("have a mutant each", () => {
    const caught = new Set(mutantsOf[area].flatMap(({ expected }) => expected));
    const ids = areas[area].checks.map(({ id }) => id);
    expect(ids.filter((id) => !caught.has(id))).toEqual([]);
  });
});

test("fails for a result_url that is a path", async () => {
  const mock = createMock({ clock: "manual" });
  const change = jobs(({ result_url: url }) => ({ result_url: url && "/results/1.png" }));
  const only = ["job.result-url.signed", "observed.resultsOrigin"];
  const report = await runAgainst(mock, only, planted(mock, change));
  expect(foundIds(report)).toEqual(["job.result-url.signed"]);
  expect(report.profile.options).toEqual({});
});

test("finds that the filter omits queued jobs", async () => {
  const server = createMock({ clock: "manual", concurrency: 1, options: { reportQueued: true } });
  const id = "list-query.status-filter.unfinished";
  const omitting = planted(server, withoutJobs("queued"));
  expect(foundIds(await runAgainst(server, [id], omitting))).toEqual([id]);
  expect(foundIds(await runAgainst(server, [id]))).toEqual([]);
  server.close();
});
