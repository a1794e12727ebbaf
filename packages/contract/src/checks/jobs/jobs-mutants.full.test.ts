import { createMock } from "@tryon/mock";
import { expect, test } from "vitest";

import { jobProbes } from "../../probes/jobs.ts";
import { foundIds, runAgainst } from "../../../test/run-checks.ts";
import { jobMutants } from "../../../test/mutants/jobs/index.ts";
import { planted } from "../../../test/mutants/mutant.ts";
import { jobs } from "../../../test/mutants/mutated-responses.ts";
import { jobChecks } from "../index.ts";

const ids = [...jobChecks, ...jobProbes].map(({ id }) => id);

test.each(jobMutants)("finds only $expected for a server that $name", async (mutant) => {
  const mock = createMock({ clock: "manual" });
  expect(foundIds(await runAgainst(mock, ids, mutant.plant(mock)))).toEqual(mutant.expected);
});

test("fails for a result_url that is a path", async () => {
  const mock = createMock({ clock: "manual" });
  const server = planted(
    mock,
    jobs(({ result_url: url }) => ({ result_url: url && "/results/1.png" })),
  );
  const only = ["job.result-url.signed", "observed.resultsOrigin"];
  const report = await runAgainst(mock, only, server);
  expect(foundIds(report)).toEqual(["job.result-url.signed"]);
  expect(report.profile.options).toEqual({});
});

test("has a mutant for every check", () => {
  const caught = new Set(jobMutants.flatMap(({ expected }) => expected));
  expect(jobChecks.map(({ id }) => id).filter((id) => !caught.has(id))).toEqual([]);
});
