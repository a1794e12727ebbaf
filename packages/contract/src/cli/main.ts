#!/usr/bin/env node
import { bypassProxyForLoopback, exitOnLostOutput } from "@tryon/cli-kit";

import { exitCodes } from "./exit-codes.ts";
import { run } from "./run.ts";

/** Ends the run with its results so far at the first Ctrl+C, and the process at the second. */
function untilInterrupted(): AbortSignal {
  const ending = new AbortController();
  const end = (): void => {
    if (ending.signal.aborted) process.exit(exitCodes.interrupted);
    ending.abort();
  };
  process.on("SIGINT", end);
  process.on("SIGTERM", end);
  return ending.signal;
}

exitOnLostOutput("tryon-contract", exitCodes.internal);
bypassProxyForLoopback(process.env);
// A request can fail before its check awaits it.
process.on("unhandledRejection", () => undefined);

const { stdout, stderr, env: environment, argv } = process;
let signal: AbortSignal | undefined;
const code = await run(argv.slice(2), {
  stdout,
  stderr,
  environment,
  // Other commands end in their own way.
  get signal() {
    return (signal ??= untilInterrupted());
  },
});
// Ends the process once its output is written, even if a request is still open.
// The error of a failed write comes some ticks later, and ends it with another code.
stdout.write("", () => stderr.write("", () => setImmediate(() => process.exit(code))));
