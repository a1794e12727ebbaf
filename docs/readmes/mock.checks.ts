import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";
import { vitestRun } from "../code/vitest-run.ts";

export const checks: Checks = {
  "mock.ts": async ({ snippet, run }) => {
    expect(await run(snippet.code)).toBe("8 992\n");
  },
  "use-mock.ts": async ({ snippet, app }) => {
    expect(await vitestRun(app, snippet)).toMatchObject({
      numPassedTests: 1,
      numFailedTests: 0,
    });
  },
  "clock.ts": async ({ snippet, run }) => {
    expect(await run(snippet.code)).toBe("running true\n");
  },
  "serve.ts": async ({ snippet, run }) => {
    expect(await run(snippet.code)).toBe("200\n");
  },
  "images.ts": async ({ snippet, run }) => {
    expect(await run(snippet.code)).toMatch(
      /^400 person_url: blocked URL; .* allows loopback\.\n$/,
    );
  },
  "msw.ts": async ({ snippet, run }) => {
    expect(await run(snippet.code)).toBe("1000\n");
  },
  "control.ts": async ({ snippet, run }) => {
    expect(await run(snippet.code)).toBe("true\n");
  },
  "state.ts": async ({ snippet, run }) => {
    expect(await run(snippet.code)).toBe("40\n");
  },
  "journal.ts": async ({ snippet, run }) => {
    expect(await run(snippet.code)).toBe("[ 503, 200 ]\n1\n");
  },
};
