import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";
import { vitestRun } from "./vitest-run.ts";

export const checks: Checks = {
  "in-process.ts": async ({ snippet, folder }) => {
    expect(await vitestRun(folder, snippet)).toMatchObject({
      numPassedTests: 3,
      numFailedTests: 0,
    });
    // A look that is thrown away is noticed, so the tests do look at what they say.
    const careless = snippet.code.replace('"another photo, please";', '"";');
    expect(careless).not.toBe(snippet.code);
    const failed = await vitestRun(folder, { ...snippet, code: careless });
    expect(failed).toMatchObject({ numPassedTests: 2, numFailedTests: 1 });
  },
};
