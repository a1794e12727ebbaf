import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { AppFolder } from "@tryon/test-kit/app-folder";
import { packedPackages } from "@tryon/test-kit/packages";

import { works, type Result } from "../result.ts";
import { commandOf, firstLine, packagesWith, versionsOf } from "../run-row.ts";
import type { Runner } from "./runners.ts";

/** Result of a runner, with the time of its command in seconds. */
export interface TimedResult extends Result {
  readonly seconds: number;
}

/**
 * Installs a runner, and runs the typical tests of an app. Then runs them with a wrong expectation, which it must report.
 *
 * @param versions - Versions of packages. The others are the newest.
 */
export async function runRunner(
  runner: Runner,
  versions: Readonly<Record<string, string>> = {},
): Promise<TimedResult> {
  const { client, webhooks, mock } = await packedPackages();
  const app = await AppFolder.create(`runner-${runner.id}`);
  try {
    const packages = packagesWith(runner.packages, versions);
    const scripts = runner.scripts === true;
    await app.install([client, webhooks, mock, ...packages], { scripts });
    const body = await readFile(join(import.meta.dirname, "../apps/runners/typical.js"), "utf8");
    await app.write(runner.file ?? "typical.test.mjs", `${runner.head}\n${body}`);
    for (const [path, text] of Object.entries(runner.files ?? {})) await app.write(path, text);
    const run = async (balance: string) => {
      const program = app.start(...commandOf(app, runner.command), {
        ...runner.env,
        CI: "1",
        BALANCE: balance,
      });
      const timer = setTimeout(() => program.kill("SIGKILL"), 60_000);
      const { code } = await program.ended;
      clearTimeout(timer);
      return { code, text: program.text };
    };
    const start = performance.now();
    const passed = await run("992");
    const seconds = Math.round((performance.now() - start) / 100) / 10;
    const failed = await run("991");
    const tests = passed.code === 0 ? works : firstLine(passed.text);
    const notices = failed.code === 0 ? "A wrong expectation passes." : works;
    return {
      versions: await versionsOf(app, runner.packages),
      outcomes: { tests, notices },
      seconds,
    };
  } finally {
    await app.remove();
  }
}
