import { createMock } from "@tryon/mock";
import { expect, test } from "vitest";

import { jobProbes } from "../../probes/jobs.ts";
import { failedIds, runAgainst } from "../../../test/run-checks.ts";
import { jobMutants } from "../../../test/mutants/jobs/index.ts";
import { jobChecks } from "./index.ts";

const ids = [...jobChecks, ...jobProbes].map(({ id }) => id);

test.each(jobMutants)("fails only $expected for a server that $name", async (mutant) => {
  const mock = createMock({ clock: "manual" });
  expect(failedIds(await runAgainst(mock, ids, mutant.plant(mock)))).toEqual(mutant.expected);
});

test("has a mutant for every check", () => {
  const caught = new Set(jobMutants.flatMap(({ expected }) => expected));
  expect(jobChecks.map(({ id }) => id).filter((id) => !caught.has(id))).toEqual([]);
});
