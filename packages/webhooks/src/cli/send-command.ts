import { signedRequest } from "../index.ts";
import type { SendCommand } from "./arguments.ts";
import { attemptDelivery } from "./attempt.ts";
import { tamper } from "./tamper.ts";
import { Input } from "./input.ts";
import { printable } from "./printable.ts";
import { readSecret } from "./secret-input.ts";
import type { CliContext } from "./context.ts";
import { checkResult } from "./check-result.ts";
import type { Attempt, CheckResult } from "./check-result.ts";

/**
 * Signs an event, sends it to a receiver as often as asked, and says what came of it.
 *
 * @returns the exit code: 0 when each attempt went as it should.
 */
export async function runSend(command: SendCommand, around: CliContext): Promise<number> {
  const { breakage, repeat, timeout, json } = command;
  const input = new Input(around);
  const secret = await readSecret(command, input, around);
  const right = await requestOf(command, input, secret);
  const request = breakage === undefined ? right : await tamper(right, breakage, secret);
  let code = 0;
  for (let sent = 0; sent < repeat; sent += 1) {
    const attempt = await attemptDelivery(request.clone(), secret, timeout, around);
    const verdict = checkResult(attempt, breakage);
    const text = json ? JSON.stringify({ ...attempt, ...verdict }) : inWords(attempt, verdict);
    around.stdout.write(`${printable(text)}\n`);
    if (!verdict.ok) code = 1;
  }
  return code;
}

async function requestOf(command: SendCommand, input: Input, secret: string): Promise<Request> {
  const options = { secret, url: command.to };
  const { event = "tryon.completed", status, jobId: job_id } = command;
  if (command.body !== undefined) {
    return signedRequest(await input.bytes("body", command.body), options);
  }
  if (event === "tryon.completed") {
    return signedRequest(
      { ...(status === undefined ? {} : { status }), ...(job_id === undefined ? {} : { job_id }) },
      options,
    );
  }
  const fields = { event, job_id, status };
  return signedRequest(fields, options);
}

function inWords(attempt: Attempt, { meaning }: CheckResult): string {
  if ("problem" in attempt) return `${attempt.problem} ${meaning}`;
  const { status, took, text } = attempt;
  return `${status} after ${took} ms. ${meaning}${text === "" ? "" : `\n${text}`}`;
}
