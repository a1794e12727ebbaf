import { parseArgs } from "node:util";

import { profileNames, type ProfileName } from "../options.ts";
import { milliseconds } from "../world/duration.ts";

/** What the command was asked to do. */
export interface ServeCommand {
  readonly kind: "serve";
  readonly port: number;
  readonly host: string;
  readonly latency: string | undefined;
  readonly seed: string | undefined;
  readonly config: string | undefined;
  readonly profile: ProfileName | undefined;
  readonly engine: "stock" | "composite";
  readonly printEnv: boolean;
  readonly quiet: boolean;
}

export type Command = ServeCommand | { readonly kind: "help" } | { readonly kind: "version" };

/** The command line cannot be understood; the message is one sentence for the person who typed it. */
export class UsageError extends Error {}

const defaultPort = 4010;

export const help = `tryon-mock [serve] [options]   the reference server of the virtual try-on service

  --port <number>       port to listen on, 0 for a free one (default ${defaultPort})
  --host <address>      address to listen on (default 127.0.0.1)
  --latency <time>      how long the model takes: milliseconds, or 500ms, 1.5s, 2m (default 1.5s)
  --seed <text>         fixes ids and signatures (default another one at each start)
  --profile <name>      ${profileNames.join(" or ")} (default default)
  --config <file>       JSON file with profile, options and settings
  --engine <name>       stock: drawn pictures; composite: your own pictures, needs sharp (default stock)
  --print-env           print NAME=value lines for the client on stdout
  --quiet               print only where the server listens
  --help, --version

Keys: svc_live_mock (1,000 credits), svc_test_mock, svc_live_empty, svc_live_limited (5 a minute),
      svc_live_disabled and svc_live_flagged (403). Webhook secret: whsec_mock.
`;

/** @throws UsageError */
export function readArguments(argv: readonly string[]): Command {
  const { values, positionals } = parse(argv);
  if (values.help === true) return { kind: "help" };
  if (values.version === true) return { kind: "version" };
  const [verb = "serve", ...rest] = positionals;
  if (verb !== "serve" || rest.length > 0) {
    const word = verb === "serve" ? rest[0] : verb;
    throw new UsageError(`There is no command "${word}"; there is serve.`);
  }
  return {
    kind: "serve",
    port: readPort(values.port),
    host: values.host ?? "127.0.0.1",
    latency: readLatency(values.latency),
    seed: values.seed,
    config: values.config,
    profile: oneOf("--profile", values.profile, profileNames),
    engine: oneOf("--engine", values.engine, ["stock", "composite"] as const) ?? "stock",
    printEnv: values["print-env"] === true,
    quiet: values.quiet === true,
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        port: { type: "string" },
        host: { type: "string" },
        latency: { type: "string" },
        seed: { type: "string" },
        config: { type: "string" },
        profile: { type: "string" },
        engine: { type: "string" },
        "print-env": { type: "boolean" },
        quiet: { type: "boolean" },
        help: { type: "boolean", short: "h" },
        version: { type: "boolean" },
      },
    });
  } catch (error) {
    const sentence = error instanceof Error ? (error.message.split(/\. |\n/)[0] ?? "") : "";
    throw new UsageError(`${sentence}. See tryon-mock --help.`);
  }
}

function readPort(text: string | undefined): number {
  if (text === undefined) return defaultPort;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new UsageError(`--port has to be a number from 0 to 65535; got "${text}".`);
}

function readLatency(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const duration = /^\d+$/.test(text) ? `${text}ms` : text;
  try {
    milliseconds(duration);
  } catch {
    throw new UsageError(
      `--latency has to be a number of milliseconds or a time such as 500ms, 1.5s, 2m; got "${text}".`,
    );
  }
  return duration;
}

function oneOf<Word extends string>(
  flag: string,
  text: string | undefined,
  words: readonly Word[],
): Word | undefined {
  const word = words.find((candidate) => candidate === text);
  if (text === undefined || word !== undefined) return word;
  throw new UsageError(`${flag} has to be one of ${words.join(", ")}; got "${text}".`);
}
