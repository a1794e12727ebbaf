import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";
import { root } from "../code/pages.ts";

export const checks: Checks = {
  "contract-profile.ts": {
    slow: async ({ snippet, run }) => {
      expect(await run(snippet.code)).toBe("none\n");
    },
  },
  "contract-vitest.ts": {
    slow: async ({ snippet, run, folder }) => {
      await writeFile(join(folder, snippet.name), snippet.code);
      const conditions = '["@tryon/source", "module", "node", "development|production"]';
      await writeFile(
        join(folder, "vitest.config.js"),
        `export default {
        ssr: { resolve: { conditions: ${conditions} } },
        test: { include: [${JSON.stringify(snippet.name)}] },
      };`,
      );
      const vitest = join(root, "node_modules/vitest/vitest.mjs");
      const report = join(folder, "vitest.json");
      const command = [
        vitest,
        "run",
        "--root",
        folder,
        "--reporter=json",
        `--outputFile=${report}`,
      ];
      // From a program, so that it has the environment of one.
      await run(
        `import { execFileSync } from "node:child_process";
      execFileSync(process.execPath, ${JSON.stringify(command)});`,
        { file: "run-vitest.ts" },
      );
      const left: unknown = JSON.parse(await readFile(report, "utf8"));
      expect(left).toMatchObject({ success: true, numFailedTests: 0 });
    },
  },
  "contract-node.ts": {
    slow: async ({ snippet, run }) => {
      expect(await run(snippet.code)).toMatch(
        /# pass [1-9]\d*\n# fail 0\n|ℹ pass [1-9]\d*\nℹ fail 0\n/,
      );
    },
  },
};
