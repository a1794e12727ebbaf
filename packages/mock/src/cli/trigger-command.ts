import { webhookSecret } from "../default-keys.ts";
import { completedEvent, eventHeaders, type SignedEvent } from "../delivery/event.ts";
import { limits } from "../service/catalogue.ts";
import { contentBlocked, failureCode } from "../service/next-jobs.ts";
import { ResultUrls } from "../service/result-urls.ts";
import { milliseconds } from "../system/duration.ts";
import { host } from "../system/host.ts";
import { freshSeed, SeededRandom } from "../system/random.ts";
import { defaultPort } from "./arguments.ts";
import type { TriggerCommand } from "./trigger-arguments.ts";

/** How long the job took that the event tells of, in milliseconds. */
const durationMs = 1_500;

/**
 * Sends one event to a receiver and says what came of it.
 *
 * @returns the exit code: 0 when the receiver took it.
 */
export async function runTrigger(command: TriggerCommand): Promise<number> {
  const secret = command.secret ?? (process.env["TRYON_WEBHOOK_SECRET"]?.trim() || webhookSecret);
  const id = command.jobId ?? `job_${new SeededRandom(freshSeed()).token(24)}`;
  const { body, signature } = eventOf(command, id, secret);
  const headers = eventHeaders(id, signature);
  process.stdout.write(`POST ${command.to.href}\n${headerLines(headers)}\n${body}\n\n`);
  const timeout = milliseconds(command.timeout ?? limits.webhookResponse);
  const answer = await send(command.to, { headers, body }, timeout);
  if ("problem" in answer) {
    process.stderr.write(`tryon-mock: ${answer.problem}\n`);
    return 1;
  }
  process.stdout.write(`${answer.status} after ${answer.took} ms\n`);
  return 0;
}

function eventOf(command: TriggerCommand, id: string, secret: string): SignedEvent {
  const now = host.now();
  const failed = command.status === "failed";
  const job = {
    id,
    status: command.status,
    errorCode: failed ? failureCode : null,
    errorMessage: failed ? (command.errorMessage ?? contentBlocked) : null,
    durationMs,
    createdAt: now - durationMs,
    completedAt: now,
  };
  const addresses = new ResultUrls(freshSeed(), "same");
  const origin = `http://127.0.0.1:${defaultPort}`;
  const address = failed ? null : addresses.sign({ id, origin }, now);
  return completedEvent(job, address, { timeFormat: "Z", secret });
}

function headerLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join("");
}

type Answer = { readonly status: number; readonly took: number } | { readonly problem: string };

async function send(
  to: URL,
  event: { headers: Record<string, string>; body: string },
  timeout: number,
): Promise<Answer> {
  const signal = AbortSignal.timeout(timeout);
  const start = performance.now();
  try {
    const response = await host.fetch(to, { method: "POST", redirect: "manual", signal, ...event });
    const took = Math.round(performance.now() - start);
    // The status is all that counts.
    await response.body?.cancel();
    const { status } = response;
    if (status >= 300 && status < 400) {
      const target = response.headers.get("location") ?? "nowhere";
      const problem = `The receiver answered ${status} after ${took} ms and redirects to ${target}, but a webhook is not sent on; give --to the last address.`;
      return { problem };
    }
    if (!response.ok) {
      return {
        problem: `The receiver answered ${status} after ${took} ms; only 2xx counts as received.`,
      };
    }
    return { status, took };
  } catch (error) {
    if (signal.aborted) {
      return {
        problem: `The receiver did not answer within ${timeout / 1_000} s, which is all it has.`,
      };
    }
    return { problem: connectionProblem(to, error) };
  }
}

function connectionProblem(to: URL, error: unknown): string {
  // The platform says no more than "fetch failed" itself; the reason stands in the cause.
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const reasons: Readonly<Record<string, string>> = {
    ECONNREFUSED: "nothing listens there; start the receiver first",
    ENOTFOUND: "there is no such host; check its name",
    EAI_AGAIN: "the name of the host cannot be looked up; check it and the network",
    ECONNRESET: "the receiver cut the connection without an answer",
    UND_ERR_SOCKET: "the receiver cut the connection without an answer",
  };
  const message = cause instanceof Error ? cause.message : String(cause);
  return `Cannot send the event to ${to.origin}: ${reasons[code] ?? (message || code)}.`;
}
