import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";

export const checks: Checks = {
  "faults.ts": async ({ snippet, run }) => {
    expect(await run(snippet.code)).toBe("TypeError: fetch failed 200 true 992\n");
  },
};
