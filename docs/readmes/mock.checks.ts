import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";
import { vitestRun } from "../code/vitest-run.ts";

export const checks: Checks = {
  "use-mock.ts": async ({ snippet, app }) => {
    expect(await vitestRun(app, snippet)).toMatchObject({
      numPassedTests: 1,
      numFailedTests: 0,
    });
  },
  "images.ts": async ({ snippet, run }) => {
    expect(await run(snippet.code)).toMatch(
      /^400 person_url: blocked URL; .* allows loopback\.\n$/,
    );
  },
};
