import {
  createProgram,
  duration,
  examples,
  InvalidArgumentError,
  Option,
  parse,
  repeated,
  text,
  UsageError,
  wholeNumber,
  type Command as Program,
} from "@tryon/command-line";

import packageJson from "../../package.json" with { type: "json" };
import type { CliContext } from "./context.ts";
import { secretVariable } from "./secret-input.ts";
import { tamperings } from "./tamper.ts";

type Options<Add extends (program: Program) => Program> = ReturnType<ReturnType<Add>["opts"]>;

/** Checks a delivery in files. */
export type CheckCommand = { readonly kind: "verify" | "explain" } & Options<typeof addDelivery> & {
    readonly otherSecretFile?: readonly string[];
  };
export type SignCommand = { readonly kind: "sign" } & Options<typeof addBody>;
export type SendCommand = { readonly kind: "send" } & Options<typeof addEvent>;
export type Command = CheckCommand | SignCommand | SendCommand;

const addSecret = (program: Program) =>
  program
    .option("--json", "print JSON, one object per line")
    .optionsGroup(`Secret (default: the variable ${secretVariable}):`)
    .option("--secret-file <file>", "file with a secret, - for stdin; repeatable", repeated)
    .option(
      "--secret <text>",
      "secret; repeatable. Visible in the process list and in the history of the shell",
      repeated,
    );

const addDelivery = (program: Program) =>
  addSecret(program)
    .optionsGroup("Delivery:")
    .option("--body <file>", "body, byte for byte; - for stdin", text)
    .option("--header <line>", 'header such as "Name: value"; repeatable', repeated)
    .option("--headers <file>", "file of such lines, or JSON; - for stdin", text)
    .addOption(
      new Option("--request <file>", "file with an HTTP/1.1 request, instead of body and headers")
        .argParser(text)
        .conflicts(["body", "header", "headers"]),
    );

const addBody = (program: Program) =>
  addSecret(program)
    .optionsGroup("Event:")
    .requiredOption("--body <file>", "body, byte for byte; - for stdin", text);

const addEvent = (program: Program) =>
  addSecret(program)
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
    .addOption(
      new Option("--timeout <duration>", "maximum time for a response, such as 10s or 10000")
        .argParser(duration(600))
        .default(10_000, "10s, as the service gives it"),
    );

const saved = '--body body.json --header "X-Service-Signature: sha256=…"';
const hook = "http://localhost:3000/hook";

/**
 * Reads a command line. Returns undefined after it printed help or the version.
 *
 * @throws UsageError
 */
export function readCommand(
  argv: readonly string[],
  { stdout, environment }: CliContext,
): Command | undefined {
  const read: { command?: Command } = {};
  const { version } = packageJson;
  const source = import.meta.url;
  const program = createProgram({ name: "webhooks", version, source, stdout, environment })
    .description("Verifies, explains, signs and sends webhooks of the virtual try-on service.")
    .addHelpText(
      "after",
      `\nThe commands never print a secret.\nExit codes: 0 success, 1 failure, 2 wrong command line.\n${examples("tryon-webhooks", "explain --request request.http", `send --to ${hook}`)}`,
    );

  addDelivery(program.command("verify"))
    .description("Verify a delivery. Prints ok and the event, or why it is invalid.")
    .addHelpText("after", examples("tryon-webhooks verify", saved, "--request request.http"))
    .action((options) => {
      read.command = checkCommand("verify", options);
    });

  addDelivery(program.command("explain"))
    .option("--other-secret-file <file>", "file with a secret of another key; repeatable", repeated)
    .description("Explain why a delivery is invalid. Keep the output private.")
    .addHelpText("after", examples("tryon-webhooks explain", saved, "--request request.http"))
    .action((options) => {
      read.command = checkCommand("explain", options);
    });

  addBody(program.command("sign"))
    .description("Print the value of X-Service-Signature for a body.")
    .addHelpText(
      "after",
      examples("tryon-webhooks sign", "--body body.json", "--body - < body.json"),
    )
    .action((options) => {
      read.command = { kind: "sign", ...options };
    });

  addEvent(program.command("send"))
    .description("Send a signed event to a receiver. Follows no redirect.")
    .addHelpText(
      "after",
      `\nExit code 0: the receiver responded with 2xx, or with --break with 4xx except 404 and 405.\n${examples("tryon-webhooks send", `--to ${hook} --status failed`, `--to ${hook} --break body`)}`,
    )
    .action((options) => {
      checkReceiver(options.to, options.allowHttp);
      read.command = { kind: "send", ...options };
    });

  parse(program, argv.length === 0 ? ["help"] : argv);
  return read.command;
}

function checkCommand(kind: CheckCommand["kind"], options: Omit<CheckCommand, "kind">) {
  if (options.body === undefined && options.request === undefined) {
    throw new UsageError(`${kind} needs --body with --header or --headers, or --request.`);
  }
  return { kind, ...options };
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

function checkReceiver({ protocol, hostname }: URL, allowHttp: boolean | undefined): void {
  const loopback = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
  if (protocol === "https:" || loopback || allowHttp === true) return;
  throw new UsageError(
    "--to is on another machine and not https, so others could read and replay the event. Use https, or --allow-http.",
  );
}
