import { sign } from "../index.ts";
import type { CliContext } from "./context.ts";
import { Input } from "./input.ts";
import type { SignCommand } from "./program.ts";
import { readSecret } from "./secret-input.ts";

/** Prints the value of X-Service-Signature for a body, and nothing else. */
export async function runSign(command: SignCommand, context: CliContext): Promise<number> {
  const input = new Input(context);
  const secret = await readSecret(command, input, context);
  const signature = await sign({ body: await input.bytes("body", command.body), secret });
  const text = command.json === true ? JSON.stringify({ signature }) : signature;
  context.stdout.write(`${text}\n`);
  return 0;
}
