import { readFile } from "node:fs/promises";

import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";

export const checks: Checks = {
  "generate.ts": async ({ snippet, run, app }) => {
    expect(await run(snippet.code)).toMatch(/jobId: 'job_\w+'/);
    expect((await readFile(app.path("look.png"))).subarray(1, 4).toString()).toBe("PNG");
  },
};
