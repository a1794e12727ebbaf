import {
  createProgram,
  examples,
  repeated,
  runCommand,
  runCommands,
  text,
  type CommandEntry,
} from "@tryon/cli-kit";

import packageJson from "../../package.json" with { type: "json" };
import { sign } from "../index.ts";
import { addCheckOptions, runCheck } from "./check-command.ts";
import { addCommonOptions, createReader, print, readSecret, type CliContext } from "./input.ts";
import { addSendOptions, runSend } from "./send-command.ts";

const saved = '--body body.json --header "X-Service-Signature: sha256=…"';
const hook = "http://localhost:3000/hook";

const commandsOf = (context: CliContext): readonly CommandEntry[] => [
  {
    name: "verify",
    description: "Verify a delivery. Prints ok and the event, or why it is invalid.",
    examples: [saved, "--request request.http"],
    define: (command, start) => {
      addCheckOptions(command).action((options) =>
        start(() => runCheck("verify", options, context)),
      );
    },
  },
  {
    name: "explain",
    description: "Explain why a delivery is invalid. Keep the output private.",
    examples: [saved, "--request request.http"],
    define: (command, start) => {
      const file = "file with a secret of another key; repeatable";
      addCheckOptions(command)
        .option("--other-secret-file <file>", file, repeated)
        .action((options) => start(() => runCheck("explain", options, context)));
    },
  },
  {
    name: "sign",
    description: "Print the value of X-Service-Signature for a body.",
    examples: ["--body body.json", "--body - < body.json"],
    define: (command, start) => {
      addCommonOptions(command)
        .optionsGroup("Event:")
        .requiredOption("--body <file>", "body, byte for byte; - for stdin", text)
        .action((options) => start(() => runSign(options, context)));
    },
  },
  {
    name: "send",
    description: "Send a signed event to a receiver. Follows no redirect.",
    details:
      "\nExit code 0: the receiver responded with 2xx and no HTML, or with --break with 4xx except 404 and 405.\n",
    examples: [`--to ${hook} --status failed`, `--to ${hook} --break body`],
    define: (command, start) => {
      addSendOptions(command).action((options) => start(() => runSend(options, context)));
    },
  },
];

export function run(argv: readonly string[], context: CliContext): Promise<number> {
  return runCommand("tryon-webhooks", context.stderr, async () => {
    const { stdout, environment } = context;
    const { version } = packageJson;
    const source = import.meta.url;
    const uses = ["explain --request request.http", `send --to ${hook}`] as const;
    const program = createProgram({ name: "webhooks", version, source, stdout, environment })
      .description("Verifies, explains, signs and sends webhooks of the virtual try-on service.")
      .addHelpText(
        "after",
        `\nThe commands never print a secret.\nExit codes: 0 success, 1 failure, 2 wrong command line.\n${examples("tryon-webhooks", uses)}`,
      );
    return runCommands(program, commandsOf(context), argv.length === 0 ? ["help"] : argv);
  });
}

type SignOptions = ReturnType<ReturnType<typeof addCommonOptions>["opts"]> & {
  readonly body: string;
};

async function runSign(options: SignOptions, context: CliContext): Promise<number> {
  const read = createReader(context);
  const secret = await readSecret(options.secretFile, read, context);
  const signature = await sign({ body: await read("body", options.body), secret });
  print(context, options.json === true ? { signature } : signature);
  return 0;
}
