#!/usr/bin/env node
import { bypassProxyForLoopback, exitOnClosedPipe } from "@tryon/command-line";

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
bypassProxyForLoopback(process.env);
// A request can fail before its check awaits it.
process.on("unhandledRejection", () => undefined);

/** Commands beside the checks. They are loaded late, so that the others start fast. */
const commands = new Map([
  ["observe", async () => (await import("./observe-command.ts")).observe],
  ["record", async () => (await import("./record-command.ts")).record],
  ["replay", async () => (await import("./replay-command.ts")).replaySessions],
]);

const { stdout, stderr, env: environment, argv } = process;
const args = argv[2] === "help" ? [...argv.slice(3), "--help"] : argv.slice(2);
const command = await commands.get(args[0] ?? "")?.();
const code = command
  ? await command(args.slice(1))
  : await run(args, { stdout, stderr, environment, signal: untilInterrupted() });
// Ends the process once its output is written, even if a request is still open.
stdout.write("", () => stderr.write("", () => process.exit(code)));
