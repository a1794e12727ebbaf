import { runCommand } from "@tryon/command-line";

import { sign } from "../index.ts";
import { runCheck } from "./check-command.ts";
import type { CliContext } from "./context.ts";
import { Input } from "./input.ts";
import { readCommand, type SignCommand } from "./program.ts";
import { readSecret } from "./secret-input.ts";
import { runSend } from "./send-command.ts";

/** Runs a command line and returns the exit code. */
export function run(argv: readonly string[], context: CliContext): Promise<number> {
  return runCommand("tryon-webhooks", context.stderr, async () => {
    const command = readCommand(argv, context);
    if (command === undefined) return 0;
    if (command.kind === "send") return runSend(command, context);
    return command.kind === "sign" ? runSign(command, context) : runCheck(command, context);
  });
}

/** Prints the value of X-Service-Signature for a body, and nothing else. */
async function runSign(command: SignCommand, context: CliContext): Promise<number> {
  const input = new Input(context);
  const secret = await readSecret(command, input, context);
  const signature = await sign({ body: await input.bytes("body", command.body), secret });
  const text = command.json === true ? JSON.stringify({ signature }) : signature;
  context.stdout.write(`${text}\n`);
  return 0;
}
