import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { node, root } from "@tryon/test-kit/repository";

const execute = promisify(execFile);

/** Numbers of passed and failed tests of a file. */
export interface VitestRun {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
}

/** Runs a test file of a page with vitest, as readers would. */
export async function vitestRun(
  folder: string,
  test: { readonly name: string; readonly code: string },
  env: NodeJS.ProcessEnv = {},
): Promise<VitestRun> {
  await writeFile(join(folder, test.name), test.code);
  const conditions = ["@tryon/source", "module", "node", "development|production"];
  const config = { ssr: { resolve: { conditions } }, test: { include: [test.name] } };
  await writeFile(join(folder, "vitest.config.js"), `export default ${JSON.stringify(config)};`);
  const report = join(folder, "vitest.json");
  const reporting = ["--reporter=json", `--outputFile=${report}`];
  const program = join(root, "node_modules/vitest/vitest.mjs");
  await execute(
    node,
    [program, "run", "--root", folder, ...reporting],
    { env: { ...process.env, ...env } },
    // A test that fails is in the report.
  ).catch(() => undefined);
  // The JSON reporter of vitest writes these fields, as that of jest does.
  return JSON.parse(await readFile(report, "utf8")) as VitestRun;
}
