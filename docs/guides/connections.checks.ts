import { readFile, writeFile } from "node:fs/promises";

import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";

const call = `
const tryon = await createClient();
const error = await tryon.account.get().catch((reason) => reason);
console.log(error.cause.code);
`;

export const checks: Checks = {
  "progress.ts": async ({ snippet, run, app }) => {
    const shown = (await run(snippet.code)).split("\r");
    expect(shown.at(-1)).toBe("uploading: 100 %");
    expect(shown.length).toBeGreaterThan(2);
    expect((await readFile(app.path("out.png"))).subarray(1, 4).toString()).toBe("PNG");
  },
  "agent.ts": async ({ snippet, run, app }) => {
    for (const name of ["company-ca", "client", "client-key"])
      await writeFile(app.path(`${name}.pem`), "");
    // The reference server has http, which only an agent of node:https refuses.
    expect(await run(`${snippet.code}${call}`)).toBe("ERR_INVALID_PROTOCOL\n");
  },
};
