import { profileNames, type ProfileName } from "../options.ts";
import { originProblem } from "../cors-origins.ts";
import { oneOf, readDuration, readFlags, readPort, readText, UsageError } from "./flags.ts";
import { nearest } from "./nearest.ts";
import { readTrigger, type TriggerCommand } from "./trigger-arguments.ts";

export const engineNames = ["stock", "composite"] as const;
export type EngineName = (typeof engineNames)[number];

/** The server that was asked for. */
export interface ServerCommand {
  readonly port: number;
  readonly host: string;
  readonly latency: string | undefined;
  readonly seed: string | undefined;
  readonly config: string | undefined;
  /** A named profile, or the file of one that was observed. */
  readonly profile: ProfileName | { readonly file: string } | undefined;
  readonly engine: EngineName | undefined;
  readonly corsOrigins: readonly string[] | undefined;
  readonly openControl: boolean;
  readonly quiet: boolean;
}

export interface ServeCommand extends ServerCommand {
  readonly kind: "serve";
  readonly printEnv: boolean;
}

export interface ExecCommand extends ServerCommand {
  readonly kind: "exec";
  /** The command to run beside the server, and its arguments. */
  readonly program: string;
  readonly programArguments: readonly string[];
}

const verbs = ["serve", "exec", "trigger"] as const;
export type Verb = (typeof verbs)[number];

/** What the command was asked to do. */
export type Command =
  | ServeCommand
  | ExecCommand
  | TriggerCommand
  | { readonly kind: "help"; readonly verb: Verb | undefined }
  | { readonly kind: "version" };

/** The port of `serve`; `exec` takes a free one. */
export const defaultPort = 4010;

const serverFlags = {
  port: { type: "string" },
  host: { type: "string" },
  latency: { type: "string" },
  seed: { type: "string" },
  config: { type: "string" },
  profile: { type: "string" },
  engine: { type: "string" },
  "cors-origin": { type: "string", multiple: true },
  "open-control": { type: "boolean" },
  quiet: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const;

/** @throws UsageError */
export function readArguments(argv: readonly string[]): Command {
  const [first = ""] = argv;
  if (first === "-h" || first === "--help") return { kind: "help", verb: undefined };
  if (first === "" || first.startsWith("-")) return readServe(argv);
  const rest = argv.slice(1);
  switch (first) {
    case "serve":
      return readServe(rest);
    case "exec":
      return readExec(rest);
    case "trigger":
      return readTrigger(rest);
    case "help":
      return { kind: "help", verb: readVerb(rest[0]) };
    default:
      throw unknownCommand(first);
  }
}

function readServe(argv: readonly string[]): Command {
  const { values, positionals } = readFlags(argv, {
    ...serverFlags,
    "print-env": { type: "boolean" },
  });
  if (values.help === true) return { kind: "help", verb: "serve" };
  if (values.version === true) return { kind: "version" };
  const [word] = positionals;
  if (word !== undefined) throw unknownCommand(word);
  const server = readServer(values, defaultPort);
  return { kind: "serve", ...server, printEnv: values["print-env"] === true };
}

function readExec(argv: readonly string[]): Command {
  const split = argv.indexOf("--");
  const ours = split === -1 ? argv : argv.slice(0, split);
  const { values, positionals } = readFlags(ours, serverFlags);
  if (values.help === true) return { kind: "help", verb: "exec" };
  if (values.version === true) return { kind: "version" };
  const [program, ...programArguments] = split === -1 ? [] : argv.slice(split + 1);
  if (positionals.length > 0 || program === undefined || program === "") {
    const example = positionals.length > 0 ? positionals.join(" ") : "npm test";
    throw new UsageError(
      `exec takes the command to run after --, such as tryon-mock exec -- ${example}.`,
    );
  }
  return { kind: "exec", ...readServer(values, 0), program, programArguments };
}

type TextFlag = "port" | "host" | "latency" | "seed" | "config" | "profile" | "engine";

type ServerValues = Partial<Record<TextFlag, string>> & {
  "cors-origin"?: string[];
  "open-control"?: boolean;
  quiet?: boolean;
};

function readServer(values: ServerValues, port: number): ServerCommand {
  return {
    port: readPort(values.port) ?? port,
    host: readText("--host", values.host) ?? "127.0.0.1",
    latency: readDuration("--latency", values.latency),
    seed: readText("--seed", values.seed),
    config: readText("--config", values.config),
    profile: readProfileFlag(values.profile),
    engine: oneOf("--engine", values.engine, engineNames),
    corsOrigins: values["cors-origin"]?.map(readOrigin),
    openControl: values["open-control"] === true,
    quiet: values.quiet === true,
  };
}

function readOrigin(text: string): string {
  const problem = originProblem(text);
  if (problem !== undefined) throw new UsageError(`--cors-origin: ${problem}`);
  return text;
}

function readProfileFlag(text: string | undefined): ServerCommand["profile"] {
  if (text !== undefined && /[\\/]|\.json$/.test(text)) return { file: text };
  return oneOf("--profile", text, profileNames, "or a file such as ./profile.json");
}

function readVerb(word: string | undefined): Verb | undefined {
  const verb = verbs.find((candidate) => candidate === word);
  if (word === undefined || verb !== undefined) return verb;
  throw unknownCommand(word);
}

function unknownCommand(word: string): UsageError {
  if (verbs.some((verb) => verb === word)) {
    return new UsageError(`${word} has to be the first word, before any option.`);
  }
  const meant = nearest(word, verbs);
  const advice = meant === undefined ? "" : ` Did you mean ${meant}?`;
  return new UsageError(
    `There is no command "${word}"; there are ${verbs.join(", ")} and help.${advice}`,
  );
}
