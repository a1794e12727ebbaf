#!/usr/bin/env node
import { version } from "../version.ts";
import { readArguments, type Command } from "./arguments.ts";
import { UsageError } from "./flags.ts";
import { help } from "./help.ts";

const usageExitCode = 2;

/** Carries the command out; what a command does is loaded when it is asked for. */
async function run(command: Command): Promise<void> {
  switch (command.kind) {
    case "help":
      process.stdout.write(help(command.verb));
      return;
    case "version":
      process.stdout.write(`${version}\n`);
      return;
    case "serve": {
      const { runServe } = await import("./serve-command.ts");
      return runServe(command);
    }
    case "exec": {
      const { runExec } = await import("./exec-command.ts");
      // Nothing of ours is left to be done, whatever a caller of the server still holds open.
      process.exit(await runExec(command));
    }
    case "trigger": {
      const { runTrigger } = await import("./trigger-command.ts");
      process.exitCode = await runTrigger(command);
    }
  }
}

try {
  await run(readArguments(process.argv.slice(2)));
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`tryon-mock: ${message}\n`);
  process.exitCode = error instanceof UsageError ? usageExitCode : 1;
}
