import { createMock } from "@tryon/mock";
import { expect, test } from "vitest";

import { foundIds, runAgainst } from "../test/run-checks.ts";
import { chosenMutants } from "../test/mutants/index.ts";

// The full set runs the whole kit against each of them.
test.each(chosenMutants)("finds $expected for a server that $name", async (mutant) => {
  const mock = createMock({ clock: "manual", seed: "bites" });
  const report = await runAgainst(mock, mutant.expected, mutant.plant(mock));
  mock.close();
  expect(foundIds(report)).toEqual(expect.arrayContaining([...mutant.expected]));
});
