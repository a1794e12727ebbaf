import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";

export const checks: Checks = {
  "control.ts": async ({ snippet, run }) => {
    expect(await run(snippet.code)).toBe("failed content_blocked\n");
  },
};
