import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";
import { vitestRun } from "../code/vitest-run.ts";

export const checks: Checks = {
  "in-process.ts": async ({ snippet, folder }) => {
    expect(await vitestRun(folder, snippet)).toMatchObject({
      numPassedTests: 3,
      numFailedTests: 0,
    });
  },
};
