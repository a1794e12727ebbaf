import { eventKind } from "../delivery/event.ts";
import { oneOf, readDuration, readFlags, readText, UsageError } from "./flags.ts";

/** The kinds of events that there are to send. */
const eventKinds = [eventKind] as const;

/** The event that was asked for, and where it goes. */
export interface TriggerCommand {
  readonly kind: "trigger";
  readonly to: URL;
  readonly status: "succeeded" | "failed";
  readonly secret: string | undefined;
  readonly jobId: string | undefined;
  readonly errorMessage: string | undefined;
  readonly timeout: string | undefined;
}

type TriggerRequest =
  | TriggerCommand
  | { readonly kind: "help"; readonly verb: "trigger" }
  | { readonly kind: "version" };

/** @throws UsageError */
export function readTrigger(argv: readonly string[]): TriggerRequest {
  const { values, positionals } = readFlags(argv, {
    to: { type: "string" },
    status: { type: "string" },
    secret: { type: "string" },
    "job-id": { type: "string" },
    "error-message": { type: "string" },
    timeout: { type: "string" },
    help: { type: "boolean", short: "h" },
    version: { type: "boolean" },
  });
  if (values.help === true) return { kind: "help", verb: "trigger" };
  if (values.version === true) return { kind: "version" };
  checkEvent(positionals);
  const status = oneOf("--status", values.status, ["succeeded", "failed"] as const) ?? "succeeded";
  const errorMessage = readText("--error-message", values["error-message"]);
  if (errorMessage !== undefined && status === "succeeded") {
    throw new UsageError("--error-message belongs to a failure; add --status failed.");
  }
  return {
    kind: "trigger",
    to: readReceiver(values.to),
    status,
    secret: readText("--secret", values.secret),
    jobId: readJobId(values["job-id"]),
    errorMessage,
    timeout: readDuration("--timeout", values.timeout),
  };
}

function checkEvent([event, ...more]: readonly string[]): void {
  const kinds = eventKinds.join(", ");
  if (event === undefined) {
    throw new UsageError(`trigger needs the kind of the event; there is ${kinds}.`);
  }
  if (!eventKinds.some((kind) => kind === event)) {
    throw new UsageError(`There is no event "${event}"; there is ${kinds}.`);
  }
  if (more.length > 0) {
    throw new UsageError(`trigger sends one event; got "${more.join(" ")}" too.`);
  }
}

function readReceiver(text: string | undefined): URL {
  if (text === undefined) {
    throw new UsageError("trigger needs --to with the receiver's address.");
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(
      `--to has to be an address such as http://localhost:3000/hook; got "${text}".`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new UsageError("--to carries a user name or password, which no webhook address takes.");
  }
  return url;
}

function readJobId(text: string | undefined): string | undefined {
  if (text === undefined || /^job_[a-zA-Z0-9]+$/.test(text)) return text;
  throw new UsageError(`--job-id has to be job_ and letters or digits; got "${text}".`);
}
