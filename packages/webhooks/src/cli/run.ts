import { readArguments } from "./arguments.ts";
import { runCheck } from "./check-command.ts";
import { UsageError } from "./flags.ts";
import { help } from "./help.ts";
import { runSend } from "./send-command.ts";
import { runSign } from "./sign-command.ts";
import type { CliContext } from "./context.ts";
import { version } from "./version.ts";

const usageExitCode = 2;

/** Carries a command line out, and gives the exit code. */
export async function run(argv: readonly string[], around: CliContext): Promise<number> {
  try {
    return await carryOut(argv, around);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    around.stderr.write(`tryon-webhooks: ${message}\n`);
    return error instanceof UsageError ? usageExitCode : 1;
  }
}

async function carryOut(argv: readonly string[], around: CliContext): Promise<number> {
  const command = readArguments(argv);
  if (command.kind === "send") return runSend(command, around);
  if (command.kind === "sign") return runSign(command, around);
  if (command.kind === "verify" || command.kind === "explain") return runCheck(command, around);
  around.stdout.write(command.kind === "help" ? help(command.verb) : `${version}\n`);
  return 0;
}
