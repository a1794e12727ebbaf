import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";
import { vitestRun } from "./vitest-run.ts";

export const checks: Checks = {
  "deployment.ts": async ({ snippet, folder, mock, server }) => {
    const env = { TRYON_BASE_URL: server.url, TRYON_API_KEY: mock.keys.test };
    const kept = await vitestRun(folder, snippet, env);
    expect(kept.numFailedTests).toBe(0);
    expect(kept.numPassedTests).toBeGreaterThan(10);
    // A deployment that shows no job on its list fails these tests.
    mock.faults.add({
      on: "GET /api/v1/tryon",
      status: 200,
      body: { jobs: [], next_cursor: null },
    });
    expect((await vitestRun(folder, snippet, env)).numFailedTests).toBeGreaterThan(0);
  },
};
