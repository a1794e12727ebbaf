import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";

import { printLine, repeated, UsageError, type Command, type Output } from "@tryon/cli-kit";
import { printable } from "@tryon/shared/printable";
import { decodeText } from "@tryon/shared/text-file";

import { usableSecrets } from "../verification/secrets.ts";
import { WebhookError } from "../webhook-error.ts";

export interface CliContext {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly elapsed: () => number;
}

export type ReadInput = (flag: string, path: string) => Promise<Buffer<ArrayBuffer>>;

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "the file does not exist",
  EACCES: "permission denied",
  EISDIR: "it is a folder",
};

export function createReader({ stdin }: CliContext): ReadInput {
  let reader: string | undefined;
  return async (flag, path) => {
    if (path === "-" && reader !== undefined) {
      throw new UsageError(`--${reader} and --${flag} cannot both be read from stdin.`);
    }
    if (path === "-") reader = flag;
    try {
      return await (path === "-" ? buffer(stdin) : readFile(path));
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "";
      throw new UsageError(`The input of --${flag} cannot be read: ${reasons[code] ?? code}.`);
    }
  };
}

const variable = "TRYON_WEBHOOK_SECRET";

export const addCommonOptions = (program: Command) =>
  program
    .option("--json", "print JSON, one object per line")
    .optionsGroup(`Secret (default: the variable ${variable}):`)
    .option("--secret-file <file>", "file with a secret, - for stdin; repeatable", repeated);

export async function readSecrets(
  paths: readonly string[] | undefined,
  read: ReadInput,
  { environment }: CliContext,
): Promise<ReadonlyArray<string | undefined>> {
  return paths === undefined
    ? [environment[variable]]
    : readSecretFiles("secret-file", paths, read);
}

/** Reads one secret per file. */
export async function readSecretFiles(
  flag: string,
  paths: readonly string[] = [],
  read: ReadInput,
): Promise<readonly string[]> {
  const secrets: string[] = [];
  for (const path of paths) {
    secrets.push(decodeText(await read(flag, path), `the input of --${flag}`));
  }
  return secrets;
}

export async function readSecret(
  paths: readonly string[] | undefined,
  read: ReadInput,
  context: CliContext,
): Promise<string> {
  const [secret, ...more] = await readSecrets(paths, read, context);
  if (more.length > 0) throw new UsageError("Signing needs exactly one secret.");
  try {
    const [usable = ""] = usableSecrets(secret);
    return usable;
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    throw new UsageError(`${error.message} Here: ${variable} or --secret-file.`);
  }
}

/** Prints a text for people, or a value as JSON for programs. */
export function print({ stdout }: CliContext, value: string | object): void {
  if (typeof value === "string") printLine(stdout, printable(value));
  else stdout.write(`${printable(JSON.stringify(value))}\n`);
}
