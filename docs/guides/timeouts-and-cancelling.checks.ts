import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";

export const checks: Checks = {
  "set.ts": async ({ snippet, run, folder }) => {
    await run(snippet.code);
    expect((await readFile(join(folder, "out.png"))).subarray(1, 4).toString()).toBe("PNG");
  },
};
