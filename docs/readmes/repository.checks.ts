import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";
import { savesAPictureAt2K } from "./picture-check.ts";
import { receivesOnce } from "./receiver-check.ts";

export const checks: Checks = {
  "client.ts": savesAPictureAt2K,
  "catalogue.ts": async ({ snippet, run, folder }) => {
    const told = `console.log(names.length, (await readFile("catalogue.ndjson", "utf8")).split("\\n").length);`;
    const code = `import { readFile } from "node:fs/promises";${snippet.code}${told}`;
    const first = await run(code);
    expect((await readFile(join(folder, "coat.png"))).readUInt32BE(16)).toBe(768);
    // The second run writes nothing down, since it sends nothing.
    expect(await run(code)).toBe(first);
  },
  "webhooks.ts": receivesOnce,
  "mock.ts": async ({ snippet, run }) => {
    expect(await run(snippet.code)).toBe("8 992\n");
  },
};
