import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

import {
  Command,
  CommanderError,
  InvalidArgumentError,
  type CommandUnknownOpts,
} from "@commander-js/extra-typings";

import { readDuration } from "@tryon/shared/duration";
import { readEnvFile, readOptionFile } from "@tryon/shared/text-file";
import { UsageError } from "@tryon/shared/usage-error";
import { wrap } from "@tryon/shared/wrap";

export { UsageError } from "@tryon/shared/usage-error";
export { InvalidArgumentError, Option, type Command } from "@commander-js/extra-typings";

export interface Output {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Prints a text for people. A terminal gets lines of its width. */
export function printLine(output: Output, line: string): void {
  output.write(`${output.isTTY === true ? wrap(line, output.columns || 80) : line}\n`);
}

/** Returns true if a stream is a terminal and the user accepts colors (https://no-color.org). */
export function hasColors({ isTTY }: Output, environment: Environment): boolean {
  return isTTY === true && !environment["NO_COLOR"] && environment["TERM"] !== "dumb";
}

/**
 * Returns the environment with the variables of `--env-file`, which win, and prints the names that the file has set.
 *
 * @throws UsageError if the file cannot be read, or names a variable without a usable value.
 */
export function withEnvFile(
  environment: Environment,
  file: string | undefined,
  stderr: Output,
): Environment {
  if (file === undefined) return environment;
  const values = readEnvFile(file);
  const names = Object.keys(values).filter((name) => name.startsWith("TRYON_"));
  printLine(stderr, `--env-file sets ${names.join(", ") || "no name that begins with TRYON_"}`);
  return { ...environment, ...values };
}

export function webhookSecret(
  environment: Environment,
  file: string | undefined,
): string | undefined {
  const secret =
    file === undefined
      ? environment["TRYON_WEBHOOK_SECRET"]
      : readOptionFile("--secret-file", file);
  return secret?.trim() || undefined;
}

export interface ProgramOptions {
  /** Name of the package without its scope, such as `mock`. */
  readonly name: string;
  readonly version: string;
  readonly source: string;
  readonly stdout: Output;
  readonly environment: Environment;
  /** Name of the command. @default the name of the package after `tryon-` */
  readonly command?: string;
}

export function createProgram({
  name,
  version,
  source,
  stdout,
  environment,
  command = `tryon-${name}`,
}: ProgramOptions) {
  const helpWidth = Math.min(stdout.columns || 100, 100);
  return new Command(command)
    .version(version, "--version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand("help [command]", "print help of a command")
    .configureHelp({
      styleTitle: (title) => `\u001B[1m${title}\u001B[22m`,
      helpWidth,
    })
    .configureOutput({
      writeOut: (output) => stdout.write(wrap(output, helpWidth)),
      // `parse` throws the error instead.
      writeErr: () => undefined,
      getOutHasColors: () => hasColors(stdout, environment),
    })
    .exitOverride()
    .addHelpText("afterAll", () => `\nDocs: ${readmeUrl(name, source)}`);
}

function readmeUrl(name: string, source: string): string {
  const { resolve } = createRequire(source);
  const readmeOf = (folder: string): string =>
    new URL("README.md", pathToFileURL(resolve(`@tryon/${folder}/package.json`))).href;
  try {
    return readmeOf(name);
  } catch {
    // It is bundled into the command `tryon`.
    return readmeOf("cli");
  }
}

export type Start = (work: () => Promise<number>) => void;

export interface CommandEntry {
  readonly name: string;
  readonly description: string;
  readonly details?: string;
  readonly examples?: readonly [string, string];
  /** Adds its options and arguments, and starts its work as its action. Without it, the command is only listed. */
  readonly define?: (command: Command, start: Start) => void | Promise<void>;
}

export function examples(command: string, uses: readonly [string, string]): string {
  const start = command.startsWith("tryon-") ? `npx ${command}` : command;
  return `\nExamples:\n${uses.map((use) => `  ${start} ${use}`.trimEnd()).join("\n")}`;
}

/**
 * Runs the command that a command line names, or prints help. Defines only this command, so that others need not be loaded.
 *
 * @param define Defines the program itself, if it has work without a command.
 * @returns the exit code.
 * @throws UsageError
 */
export async function runCommands(
  program: Command,
  entries: readonly CommandEntry[],
  argv: readonly string[],
  define?: (start: Start) => void,
): Promise<number> {
  const chosen: { work?: () => Promise<number> } = {};
  const start: Start = (work) => void (chosen.work = work);
  const used = argv[0] === "help" ? argv[1] : argv[0];
  // Options of a command can have the names of options of the program.
  if (entries.every(({ name }) => name !== used)) define?.(start);
  for (const entry of entries) {
    const { name, description, details = "", examples: uses } = entry;
    const command = program.command(name).description(description);
    if (uses)
      command.addHelpText("after", `${details}${examples(`${program.name()} ${name}`, uses)}`);
    if (name === used) await entry.define?.(command, start);
  }
  parse(program, argv);
  return (await chosen.work?.()) ?? 0;
}

/**
 * Parses a command line and runs its action. Runs no action if it prints help or the version.
 *
 * @throws UsageError
 */
export function parse(program: CommandUnknownOpts, argv: readonly string[]): void {
  try {
    program.parse(argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw new UsageError(describe(error, program));
  }
}

/** Removes what the user typed from a message, except the name of an option: a value can contain a key or a secret. */
function describe({ message, code }: CommanderError, program: CommandUnknownOpts): string {
  const help = `Run ${program.name()} --help.`;
  // It has no message if `help` is asked for an unknown command.
  if (code === "commander.help") return `unknown command. ${help}`;
  const [sentence = "", suggestion] = message.split(/\n\((Did you mean .*\?)\)$/);
  const problem = sentence
    .replace(/^error: /, "")
    // Letters only: keys and secrets have other characters, too.
    .replace(/^(unknown option) '(--[a-z-]{1,30}|-[a-z])'$/i, "$1 $2")
    .replace(/^(unknown option) '(--[a-z-]{1,30}=).*'$/is, "$1 $2…")
    .replace(/^(unknown \w+) '.*'/s, "$1")
    .replace(/ argument '.*' is invalid\. /s, " is invalid. ");
  if (code === "commander.invalidArgument") return problem;
  const [, given] = problem.match(/^unknown option (--[a-z-]{2,30})$/i) ?? [];
  // More likely than the option with the fewest other letters, which commander suggests.
  const begun = [program, ...program.commands]
    .flatMap(({ options }) => options)
    .find(({ long }) => given !== undefined && long?.startsWith(given));
  const hint = begun ? `Did you mean ${begun.long}?` : (suggestion ?? help);
  return `${problem.replace(/\.$/, "")}. ${hint}`;
}

/**
 * Runs a command and returns its exit code. Prints an error as one line: exit code 2 for a `UsageError`, `failure` for
 * others.
 */
export async function runCommand(
  name: string,
  stderr: Output,
  run: () => Promise<number>,
  failure = 1,
): Promise<number> {
  try {
    return await run();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    printLine(stderr, `${name}: ${message}`);
    return error instanceof UsageError ? 2 : failure;
  }
}

/**
 * Ends the process with one line and an exit code if its output cannot be written, since the disk is full or a reader has
 * closed the pipe, as `head` does.
 */
export function exitOnLostOutput(name: string, failure = 1): void {
  const { stdout, stderr } = process;
  stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    const reason = code === "EPIPE" ? "its reader has closed it (EPIPE)" : message;
    stderr.write(`${name}: standard output is incomplete, ${reason}.\n`);
    process.exit(failure);
  });
  // A line about it would be lost, too. Without space for messages, the work goes on.
  stderr.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (code === "EPIPE") process.exit(failure);
  });
}

/**
 * Excludes this machine from the proxy of the environment, which Node uses for `fetch` with `NODE_USE_ENV_PROXY`. The proxy
 * could not reach it, and would get the key or the secret. Node reads the lower-case variable first.
 */
export function bypassProxyForLoopback(environment: NodeJS.ProcessEnv): void {
  const name = environment["no_proxy"] ? "no_proxy" : "NO_PROXY";
  const hosts = [environment[name] || [], "localhost", ".localhost", "127.0.0.1", "::1", "[::1]"];
  environment[name] = hosts.flat().join();
}

/** Parses a text. Rejects an empty text, as of an unset variable, and an option instead of a text. */
export function text(value: string): string {
  if (value.trim() === "") throw new InvalidArgumentError("It is empty: give it a value.");
  if (value.startsWith("--")) throw new InvalidArgumentError("Its value is missing.");
  return value;
}

/** Parses a test key. Rejects a live key, since other programs can read the flags of a command. */
export function testKey(value: string): string {
  if (text(value).startsWith("svc_test_")) return value;
  throw new InvalidArgumentError(
    "It takes a test key, svc_test_…, only: other programs can read flags. Set TRYON_API_KEY instead.",
  );
}

export function repeated(value: string, previous?: readonly string[]): readonly string[] {
  return [...(previous ?? []), text(value)];
}

export function wholeNumber(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

export const port = wholeNumber(0, 65_535);

/** Returns a parser of durations such as `10s`, or `10000` in milliseconds. It returns milliseconds. */
export function duration(maxSeconds = 31_536_000): (value: string) => number {
  return (value) => {
    const milliseconds = readDuration(/^\d+$/.test(value) ? `${value}ms` : value);
    if (milliseconds <= maxSeconds * 1_000) return milliseconds;
    throw new InvalidArgumentError(
      `It must be a duration such as 10s, 1.5s, 2m or 10000, at most ${maxSeconds}s.`,
    );
  };
}
