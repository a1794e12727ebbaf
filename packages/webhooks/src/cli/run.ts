import { createProgram, examples, parse, repeated, runCommand, text } from "@tryon/command-line";

import packageJson from "../../package.json" with { type: "json" };
import { sign } from "../index.ts";
import { addCheckOptions, runCheck } from "./check-command.ts";
import { addCommonOptions, createReader, print, readSecret, type CliContext } from "./input.ts";
import { addSendOptions, runSend } from "./send-command.ts";

const saved = '--body body.json --header "X-Service-Signature: sha256=…"';
const hook = "http://localhost:3000/hook";

/** Runs a command line and returns the exit code. */
export function run(argv: readonly string[], context: CliContext): Promise<number> {
  return runCommand("tryon-webhooks", context.stderr, async () => {
    // Help and the version run no action.
    let exitCode = Promise.resolve(0);
    const { stdout, environment } = context;
    const { version } = packageJson;
    const source = import.meta.url;
    const program = createProgram({ name: "webhooks", version, source, stdout, environment })
      .description("Verifies, explains, signs and sends webhooks of the virtual try-on service.")
      .addHelpText(
        "after",
        `\nThe commands never print a secret.\nExit codes: 0 success, 1 failure, 2 wrong command line.\n${examples("tryon-webhooks", "explain --request request.http", `send --to ${hook}`)}`,
      );

    addCheckOptions(program.command("verify"))
      .description("Verify a delivery. Prints ok and the event, or why it is invalid.")
      .addHelpText("after", examples("tryon-webhooks verify", saved, "--request request.http"))
      .action((options) => {
        exitCode = runCheck("verify", options, context);
      });

    addCheckOptions(program.command("explain"))
      .option(
        "--other-secret-file <file>",
        "file with a secret of another key; repeatable",
        repeated,
      )
      .description("Explain why a delivery is invalid. Keep the output private.")
      .addHelpText("after", examples("tryon-webhooks explain", saved, "--request request.http"))
      .action((options) => {
        exitCode = runCheck("explain", options, context);
      });

    addCommonOptions(program.command("sign"))
      .optionsGroup("Event:")
      .requiredOption("--body <file>", "body, byte for byte; - for stdin", text)
      .description("Print the value of X-Service-Signature for a body.")
      .addHelpText(
        "after",
        examples("tryon-webhooks sign", "--body body.json", "--body - < body.json"),
      )
      .action((options) => {
        exitCode = runSign(options, context);
      });

    addSendOptions(program.command("send"))
      .description("Send a signed event to a receiver. Follows no redirect.")
      .addHelpText(
        "after",
        `\nExit code 0: the receiver responded with 2xx, or with --break with 4xx except 404 and 405.\n${examples("tryon-webhooks send", `--to ${hook} --status failed`, `--to ${hook} --break body`)}`,
      )
      .action((options) => {
        exitCode = runSend(options, context);
      });

    parse(program, argv.length === 0 ? ["help"] : argv);
    return exitCode;
  });
}

type SignOptions = ReturnType<ReturnType<typeof addCommonOptions>["opts"]> & {
  readonly body: string;
};

async function runSign(options: SignOptions, context: CliContext): Promise<number> {
  const read = createReader(context);
  const secret = await readSecret(options.secretFile, read, context);
  const signature = await sign({ body: await read("body", options.body), secret });
  print(context, options.json === true ? JSON.stringify({ signature }) : signature);
  return 0;
}
