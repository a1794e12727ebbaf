import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { AppFolder } from "@tryon/test-kit/app-folder";
import { node, root } from "@tryon/test-kit/repository";

export interface VitestRun {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
}

/** Runs a test file of a page with vitest, as readers would. */
export async function vitestRun(
  app: AppFolder,
  test: { readonly name: string; readonly code: string },
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<VitestRun> {
  await app.write(test.name, test.code);
  await app.write("vitest.config.js", `export default { test: { include: ["${test.name}"] } };`);
  const program = join(root, "node_modules/vitest/vitest.mjs");
  const reporting = ["--reporter=json", "--outputFile=vitest.json"];
  // A test that fails is in the report.
  await app.start(node, [program, "run", "--root", app.folder, ...reporting], env).ended;
  // The JSON reporter of vitest writes these fields, as that of jest does.
  return JSON.parse(await readFile(app.path("vitest.json"), "utf8")) as VitestRun;
}
