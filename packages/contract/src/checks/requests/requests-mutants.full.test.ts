import { createMock } from "@tryon/mock";
import { afterAll, afterEach, expect, test } from "vitest";

import { requestProbes } from "../../probes/requests.ts";
import { brokenIn, runAgainst } from "../../../test/area-run.ts";
import { requestMutants } from "../../../test/mutants/requests/index.ts";
import { requestChecks } from "./index.ts";

const all = [...requestChecks, ...requestProbes];
const isSlow = (id: string): boolean => id.startsWith("large.") || id === "observed.oversize";
const quick = all.map(({ id }) => id).filter((id) => !isSlow(id));

const mock = createMock({ clock: "manual" });
afterEach(() => mock.reset());
afterAll(() => mock.close());

test.each(requestMutants)("a run finds that $name, and nothing else", async (one) => {
  const { plant, expected } = one;
  const only = expected.some(isSlow) ? [...quick, "large."] : quick;
  expect(brokenIn(await runAgainst(mock, only, plant(mock)))).toEqual(expected.toSorted());
});
