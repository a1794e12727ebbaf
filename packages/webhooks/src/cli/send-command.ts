import {
  duration,
  InvalidArgumentError,
  Option,
  text,
  UsageError,
  wholeNumber,
  type Command,
} from "@tryon/cli-kit";
import { mayReceiveKeys } from "@tryon/shared/key-url";
import { notRecognized, pageResponded } from "@tryon/shared/receiver-mark";

import { signedRequest } from "../index.ts";
import { attemptDelivery, type Attempt } from "./attempt.ts";
import { addCommonOptions, createReader, print, readSecret, type CliContext } from "./input.ts";
import { tamper, tamperings, type Tampering } from "./tamper.ts";

export const addSendOptions = (program: Command) =>
  addCommonOptions(program)
    .optionsGroup("Event:")
    .requiredOption("--to <url>", "URL of the receiver, on this machine or with https", receiverUrl)
    .option("--allow-http", "allow a receiver on another machine without https")
    .addOption(
      new Option("--status <status>", "status of the job, succeeded by default").choices([
        "succeeded",
        "failed",
      ]),
    )
    .option("--job-id <id>", "id of the job (default: random)", text)
    .option("--event <kind>", "kind of the event (default: tryon.completed)", text)
    .addOption(
      new Option("--body <file>", "body to send instead of these, - for stdin")
        .argParser(text)
        .conflicts(["status", "jobId", "event"]),
    )
    .optionsGroup("Delivery:")
    .option("--repeat <number>", "number of times to send the event", wholeNumber(1, 1_000), 1)
    .addOption(
      new Option("--break <part>", "make one part wrong, so that the receiver must reject it")
        // A mutable copy, as the type of `choices` requires.
        .choices([...tamperings]),
    )
    .option("--strict", "fail unless the response is of a receiver of this SDK")
    .addOption(
      new Option("--timeout <duration>", "maximum time for a response, such as 10s or 10000")
        .argParser(duration(600))
        .default(10_000, "10s, as the service gives it"),
    );

type SendOptions = ReturnType<ReturnType<typeof addSendOptions>["opts"]>;

export async function runSend(options: SendOptions, context: CliContext): Promise<number> {
  const { to: url, allowHttp, break: tampering, repeat, timeout, strict = false, json } = options;
  if (allowHttp !== true && !mayReceiveKeys(url)) {
    throw new UsageError(
      "--to is on another machine and not https, so others could read and replay the event. Use https, or --allow-http.",
    );
  }
  const read = createReader(context);
  const secret = await readSecret(options.secretFile, read, context);
  const { body, event: kind, status, jobId: job_id } = options;
  const fields = { ...(status && { status }), ...(job_id && { job_id }) };
  const content =
    body === undefined ? { ...fields, ...(kind && { event: kind }) } : await read("body", body);
  const valid = await signedRequest(content, { secret, url });
  const request = tampering === undefined ? valid : await tamper(valid, tampering, secret);
  let code = 0;
  for (let sent = 0; sent < repeat; sent += 1) {
    const attempt = await attemptDelivery(request.clone(), secret, timeout, context);
    const result = judge(attempt, tampering, strict);
    print(context, json === true ? { ...attempt, ...result } : describe(attempt, result.meaning));
    if (!result.ok) code = 1;
  }
  return code;
}

function receiverUrl(value: string): URL {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError("It must be a URL such as http://localhost:3000/hook.");
  }
  if (url.username !== "" || url.password !== "") {
    throw new InvalidArgumentError("A webhook URL cannot have a user name or password.");
  }
  return url;
}

function describe(attempt: Attempt, meaning: string): string {
  if ("problem" in attempt) return `${attempt.problem} ${meaning}`;
  const { status, took, text: response } = attempt;
  return `${status} after ${took} ms. ${meaning}${response === "" ? "" : `\n${response}`}`;
}

const retries =
  "The service would count this as failed, and retry after 1, 4 and 16 s before it stops.";

const verdict = (ok: boolean, meaning: string) => ({ ok, meaning });

/** Expects 2xx for a valid event, and 4xx for one that is wrong on purpose. Adds the reaction of the service. */
function judge(attempt: Attempt, tampering: Tampering | undefined, isStrict: boolean) {
  if ("problem" in attempt) return verdict(false, retries);
  const { status, responder } = attempt;
  if (status >= 300 && status < 400) {
    const redirects = "Only 2xx counts, and the service follows no redirect: use the final URL.";
    return verdict(false, `${redirects} ${retries}`);
  }
  if (status < 300 && responder === "page") {
    return verdict(false, `The event is lost: ${pageResponded}. Check --to and its route.`);
  }
  if (tampering === undefined) {
    if (status >= 300) return verdict(false, `Only 2xx counts. ${retries}`);
    const isKnown = responder === "receiver";
    const notice = isKnown ? "" : ` It answered 2xx; ${notRecognized}.`;
    return verdict(isKnown || !isStrict, `The service would count this as delivered.${notice}`);
  }
  if (status < 300) {
    const accepted = `The receiver accepted an event that is wrong on purpose (${tampering})`;
    return verdict(false, `${accepted}: it does not verify.`);
  }
  if (status === 404 || status === 405) {
    return verdict(false, "Nothing receives events there, so nothing was verified: check --to.");
  }
  return status < 500
    ? verdict(true, "The receiver rejected it, as it should.")
    : verdict(
        false,
        "The receiver failed instead of rejecting it. Respond with 400 to such a request.",
      );
}
