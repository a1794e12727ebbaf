import { signedRequest } from "../index.ts";
import { attemptDelivery } from "./attempt.ts";
import { checkResult, type Attempt, type CheckResult } from "./check-result.ts";
import type { CliContext } from "./context.ts";
import { Input } from "./input.ts";
import { printable } from "./printable.ts";
import type { SendCommand } from "./program.ts";
import { readSecret } from "./secret-input.ts";
import { tamper } from "./tamper.ts";

/**
 * Signs an event, sends it to a receiver and prints each result.
 *
 * @returns the exit code: 0 if each attempt has the expected result.
 */
export async function runSend(command: SendCommand, context: CliContext): Promise<number> {
  const { break: tampering, repeat, timeout, json } = command;
  const input = new Input(context);
  const secret = await readSecret(command, input, context);
  const valid = await createRequest(command, input, secret);
  const request = tampering === undefined ? valid : await tamper(valid, tampering, secret);
  let code = 0;
  for (let sent = 0; sent < repeat; sent += 1) {
    const attempt = await attemptDelivery(request.clone(), secret, timeout, context);
    const result = checkResult(attempt, tampering);
    const text =
      json === true ? JSON.stringify({ ...attempt, ...result }) : describe(attempt, result);
    context.stdout.write(`${printable(text)}\n`);
    if (!result.ok) code = 1;
  }
  return code;
}

async function createRequest(
  { to: url, body, status, jobId: job_id, event = "tryon.completed" }: SendCommand,
  input: Input,
  secret: string,
): Promise<Request> {
  if (body !== undefined) {
    return signedRequest(await input.bytes("body", body), { secret, url });
  }
  const fields = {
    ...(status !== undefined && { status }),
    ...(job_id !== undefined && { job_id }),
  };
  return signedRequest(event === "tryon.completed" ? fields : { ...fields, event }, {
    secret,
    url,
  });
}

function describe(attempt: Attempt, { meaning }: CheckResult): string {
  if ("problem" in attempt) return `${attempt.problem} ${meaning}`;
  const { status, took, text } = attempt;
  return `${status} after ${took} ms. ${meaning}${text === "" ? "" : `\n${text}`}`;
}
