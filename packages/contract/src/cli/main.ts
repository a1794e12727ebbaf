#!/usr/bin/env node
import { version } from "../version.ts";
import { readArguments, type Command } from "./arguments.ts";
import { exitCodes } from "./exit-codes.ts";
import { UsageError } from "./flags.ts";
import { help } from "./help.ts";

/** Carries the command out, and gives its exit code; what a run needs is loaded when one is asked for. */
async function run(command: Command): Promise<number> {
  if (command.kind === "run") {
    const { runCommand } = await import("./run-command.ts");
    const { stdout, stderr, env: environment } = process;
    return runCommand(command, { stdout, stderr, environment, signal: untilInterrupted() });
  }
  process.stdout.write(command.kind === "help" ? help() : `${version}\n`);
  return exitCodes.kept;
}

/** The first Ctrl+C ends the run and lets it say what it has; the second ends everything. */
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

/** Nothing of the kit is left to be done then; what has been written to a pipe still has to go through it. */
function exit(code: number): void {
  process.stdout.write("", () => process.stderr.write("", () => process.exit(code)));
}

// A call that nobody waits for yet may fail; whoever waits for it later is told, and the run goes on until then.
process.on("unhandledRejection", () => undefined);

try {
  exit(await run(readArguments(process.argv.slice(2), process.env)));
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : "";
  const usage = error instanceof UsageError;
  process.stderr.write(`tryon-contract: ${message}${usage || cause === "" ? "" : ` ${cause}`}\n`);
  exit(usage ? exitCodes.usage : exitCodes.internal);
}
