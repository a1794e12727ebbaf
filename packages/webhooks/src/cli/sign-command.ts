import { sign } from "../index.ts";
import type { SignCommand } from "./arguments.ts";
import { Input } from "./input.ts";
import { readSecret } from "./secret-input.ts";
import type { CliContext } from "./context.ts";

/** Prints the value of X-Service-Signature for a body, and nothing else. */
export async function runSign(command: SignCommand, around: CliContext): Promise<number> {
  const input = new Input(around);
  const secret = await readSecret(command, input, around);
  const signature = await sign({ body: await input.bytes("body", command.body), secret });
  around.stdout.write(`${command.json ? JSON.stringify({ signature }) : signature}\n`);
  return 0;
}
