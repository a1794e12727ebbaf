import {
  createProgram,
  duration,
  examples,
  InvalidArgumentError,
  Option,
  port,
  runCommands,
  text,
  UsageError,
  wholeNumber,
  type Command as Program,
  type CommandEntry,
  type ProgramOptions,
} from "@tryon/cli-kit";

import { originProblem } from "../cors-origins.ts";
import { profileNames, type ProfileName } from "../options.ts";
import { maxCredits } from "../settings.ts";
import { version } from "../version.ts";

export const engineNames = ["stock", "composite"] as const;
export type EngineName = (typeof engineNames)[number];

const logFormats = ["pretty", "json", "none"] as const;
export type LogFormat = (typeof logFormats)[number];

export type ServerCommand = ReturnType<ReturnType<typeof addServer>["opts"]>;

export interface ServeCommand extends ServerCommand {
  readonly printEnv?: boolean;
}

export interface ExecCommand extends ServerCommand {
  readonly program: string;
  readonly programArguments: readonly string[];
}

const addServer = (program: Program, defaultPort: number) =>
  program
    .option("--port <number>", "port to listen on, 0 for a free one", port, defaultPort)
    .option("--host <host>", "host name or IP to listen on", text, "127.0.0.1")
    .option("--latency <duration>", "job duration, as 3s or 3000 (default: 1.5s)", duration())
    .option(
      "--credits <number>",
      "credits of each live key but svc_live_empty (default: 1000)",
      wholeNumber(0, maxCredits),
    )
    .option("--seed <text>", "seed of ids and signatures (default: random)", text)
    .option(
      "--profile <name>",
      `${profileNames.join(" or ")}, or a file that tryon-contract wrote (default: default)`,
      profileOf,
    )
    .option("--config <file>", "JSON file of profile, options and settings; flags win", text)
    .option("--state <file>", "SQLite file that keeps the state for the next start", text)
    .addOption(
      new Option(
        "--engine <name>",
        "stock: generated images; composite: your own images, needs sharp (default: stock)",
      ).choices(engineNames),
    )
    .option(
      "--cors-origin <url>",
      'origin whose pages can call the server, beside localhost and 127.0.0.1; repeatable, "*" for all',
      origins,
    )
    .addOption(
      new Option(
        "--log <format>",
        "a line for each request: pretty, json or none; exec prints it to stderr (default: serve on a terminal: pretty)",
      ).choices(logFormats),
    )
    .option(
      "--open-control",
      "let everyone call the control API under /__mock/, other machines too, without a token",
    )
    .option(
      "--quiet",
      "serve: print the URL of the server only; exec: print nothing; a --log stays",
    );

export interface Work {
  serve(command: ServeCommand): Promise<number>;
  exec(command: ExecCommand): Promise<number>;
}

export async function runMock(
  argv: readonly string[],
  context: Pick<ProgramOptions, "stdout" | "environment">,
  work: Work,
): Promise<number> {
  const separator = argv.indexOf("--");
  const ownArguments = separator === -1 ? argv : argv.slice(0, separator);
  const beside = separator === -1 ? [] : argv.slice(separator + 1);
  const source = import.meta.url;
  const uses = ["--port 4010 --latency 0", "exec -- npm test"] as const;
  const program = createProgram({ name: "mock", version, source, ...context })
    .description("Runs the reference server of the virtual try-on service.")
    .addHelpText(
      "after",
      `
tryon-mock without a command is tryon-mock serve.
Keys: svc_live_mock (1,000 credits), svc_test_mock, svc_live_empty, svc_live_limited (5 requests a minute), svc_live_disabled and svc_live_flagged (403). Webhook secret: whsec_mock.
The token of the control API is TRYON_MOCK_TOKEN, or new at each start: serve prints it with the control page, and writes it to a file that only you can read.
${examples("tryon-mock", uses)}`,
    );
  const serve: CommandEntry = {
    name: "serve",
    description: "Serve until SIGINT, SIGTERM or SIGHUP.",
    examples: ["--port 4010", "--port 0 --print-env"],
    define: (command, start) => {
      addServer(command, 4_010)
        .option("--print-env", "print NAME=value lines for the client to stdout")
        .action((options) => {
          const isWatched = context.stdout.isTTY === true && options.quiet !== true;
          start(() => work.serve({ ...(isWatched && { log: "pretty" }), ...options }));
        });
    },
  };
  const exec: CommandEntry = {
    name: "exec",
    description: "Run a command beside its own server.",
    details: `
The command gets TRYON_BASE_URL, TRYON_API_KEY, TRYON_WEBHOOK_SECRET, TRYON_MOCK_TOKEN and TRYON_POLL_INTERVAL, and the terminal. When it ends, the server and background processes of the command end. SIGINT, SIGTERM and SIGHUP are passed on. Exit code: that of the command, 128 plus the number of the signal that ended it, 127 if the command does not exist, 126 if it cannot be executed.
`,
    examples: ["-- npm test", "--quiet --latency 0 -- npx vitest run"],
    define: (command, start) => {
      const added = addServer(command, 0)
        .usage("[options] -- <command> [args...]")
        .allowExcessArguments()
        .action((options) => {
          const [name = "", ...programArguments] = beside;
          if (added.args.length > 0 || name === "") {
            throw new UsageError(
              "Write -- before the command, such as tryon-mock exec -- npm test.",
            );
          }
          start(() => work.exec({ ...options, program: name, programArguments }));
        });
    },
  };
  const isServe = /^(?!-h$|--help$|--version$)(?:-|$)/.test(ownArguments[0] ?? "");
  return runCommands(program, [serve, exec], isServe ? ["serve", ...ownArguments] : ownArguments);
}

function profileOf(value: string): ProfileName | { readonly file: string } {
  const name = profileNames.find((candidate) => candidate === value);
  if (name !== undefined) return name;
  if (/[\\/]|\.json$/.test(value)) return { file: value };
  throw new InvalidArgumentError(
    `It must be ${profileNames.join(" or ")}, or a file such as ./profile.json.`,
  );
}

function origins(value: string, previous: readonly string[] = []): readonly string[] {
  const problem = originProblem(value);
  if (problem !== undefined) throw new InvalidArgumentError(problem);
  return [...previous, value];
}
