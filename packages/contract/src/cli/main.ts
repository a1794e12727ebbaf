#!/usr/bin/env node
import { exitOnClosedPipe } from "@tryon/command-line";

import { exitCodes } from "./program.ts";
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

exitOnClosedPipe();
// A request can fail before its check awaits it.
process.on("unhandledRejection", () => undefined);

const { stdout, stderr, env: environment } = process;
const signal = untilInterrupted();
const code = await run(process.argv.slice(2), { stdout, stderr, environment, signal });
// Ends the process once its output is written, even if a request is still open.
stdout.write("", () => stderr.write("", () => process.exit(code)));
