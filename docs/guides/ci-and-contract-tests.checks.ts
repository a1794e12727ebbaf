import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";
import { vitestRun } from "../code/vitest-run.ts";

export const checks: Checks = {
  "deployment.ts": async ({ snippet, app, mock, server }) => {
    const env = {
      TRYON_BASE_URL: server.url,
      TRYON_API_KEY: mock.keys.test,
      TRYON_MOCK_TOKEN: server.controlToken,
    };
    const kept = await vitestRun(app, snippet, env);
    expect(kept.numFailedTests).toBe(0);
    expect(kept.numPassedTests).toBeGreaterThan(10);
  },
};
