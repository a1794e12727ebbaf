import { readFile } from "node:fs/promises";

import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";

export const checks: Checks = {
  "set.ts": async ({ snippet, run, app }) => {
    await run(snippet.code);
    expect((await readFile(app.path("out.png"))).subarray(1, 4).toString()).toBe("PNG");
  },
};
