import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { packedPackages } from "@tryon/test-kit/packages";

import { checkInstalled, commandOf, firstLine } from "../install-row.ts";
import { works, type Result } from "../row.ts";
import type { Runner } from "./runners.ts";

/** Result of a runner, with the time of its command in seconds. */
export interface TimedResult extends Result {
  readonly seconds: number;
}

/** Runs the typical tests of an app in a runner. Then runs them with a wrong expectation, which it must report. */
export async function runRunner(
  runner: Runner,
  installed: Result["versions"] = {},
): Promise<TimedResult> {
  const { client, webhooks, mock } = await packedPackages();
  let seconds = 0;
  const result = await checkInstalled(
    runner,
    installed,
    { own: [client, webhooks, mock] },
    async (app) => {
      const body = await readFile(join(import.meta.dirname, "../apps/runners/typical.js"), "utf8");
      await app.write(runner.file ?? "typical.test.mjs", `${runner.head}\n${body}`);
      for (const [path, text] of Object.entries(runner.files ?? {})) await app.write(path, text);
      const run = async (balance: string) => {
        const env = { ...runner.env, CI: "1", BALANCE: balance };
        const program = app.start(...commandOf(app, runner.command), env);
        const timer = setTimeout(() => program.kill("SIGKILL"), 60_000);
        const { code } = await program.ended;
        clearTimeout(timer);
        return { code, text: program.text };
      };
      const start = performance.now();
      const passed = await run("992");
      seconds = Math.round((performance.now() - start) / 100) / 10;
      const failed = await run("991");
      return {
        tests: passed.code === 0 ? works : firstLine(passed.text),
        notices: failed.code === 0 ? "A wrong expectation passes." : works,
      };
    },
  );
  return { ...result, seconds };
}
