import { runCommand } from "@tryon/command-line";

import { runCheck } from "./check-command.ts";
import type { CliContext } from "./context.ts";
import { readCommand } from "./program.ts";
import { runSend } from "./send-command.ts";
import { runSign } from "./sign-command.ts";

/** Runs a command line and returns the exit code. */
export function run(argv: readonly string[], context: CliContext): Promise<number> {
  return runCommand("tryon-webhooks", context.stderr, async () => {
    const command = readCommand(argv, context);
    if (command === undefined) return 0;
    if (command.kind === "send") return runSend(command, context);
    return command.kind === "sign" ? runSign(command, context) : runCheck(command, context);
  });
}
