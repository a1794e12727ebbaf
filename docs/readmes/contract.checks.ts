import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";
import { vitestRun } from "../code/vitest-run.ts";

export const checks: Checks = {
  "contract-vitest.ts": async ({ snippet, app, mock, server }) => {
    const env = {
      TRYON_BASE_URL: server.url,
      TRYON_API_KEY: mock.keys.live,
      TRYON_MOCK_TOKEN: server.controlToken,
    };
    const { numPassedTests, numFailedTests } = await vitestRun(app, snippet, env);
    expect(numFailedTests).toBe(0);
    expect(numPassedTests).toBeGreaterThan(0);
  },
  "contract-node.ts": async ({ snippet, run }) => {
    expect(await run(snippet.code)).toMatch(
      /# pass [1-9]\d*\n# fail 0\n|ℹ pass [1-9]\d*\nℹ fail 0\n/,
    );
  },
};
