import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";

export const checks: Checks = {
  "mock.ts": async ({ snippet, run }) => {
    expect(await run(snippet.code)).toBe("8 992\n");
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
  "journal.ts": async ({ snippet, run }) => {
    expect(await run(snippet.code)).toBe("[ 503, 200 ]\n1\n");
  },
};
