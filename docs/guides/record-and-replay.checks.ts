import { readFile } from "node:fs/promises";

import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";

export const checks: Checks = {
  "app.ts": async ({ snippet, run }) => {
    expect(await run(snippet.code)).toBe("succeeded\n");
  },
  "contract-recorder.ts": async ({ snippet, app, run }) => {
    const call = `${snippet.code.replace("0.05", "1")}\nawait tryon.account.get();`;
    await run(call);
    const session = await readFile(app.path("session.ndjson"), "utf8");
    expect(JSON.parse(session)).toMatchObject({ path: "/api/v1/account" });
  },
};
