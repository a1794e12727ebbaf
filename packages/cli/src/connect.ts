import { createInterface } from "node:readline";
import { Writable } from "node:stream";

import { TryOn, type BudgetLimit } from "@tryon/client";
import { testKey, text, UsageError, withEnvFile, type Command } from "@tryon/command-line";

import type { CliContext } from "./context.ts";

/** Adds the options of every command that calls the service. */
export function addConnection<Arguments extends unknown[], Options extends Record<string, unknown>>(
  command: Command<Arguments, Options>,
): Command<Arguments, Options & ConnectionOptions> {
  command
    .optionsGroup("Service:")
    .option("--base-url <url>", "URL of the service (default: TRYON_BASE_URL)", text)
    .option("--api-key <key>", "test key (default: TRYON_API_KEY, or a prompt)", testKey)
    .option("--env-file <file>", "file with these variables; it wins over the environment", text)
    .option("--json", "print JSON, for programs");
  return command;
}

/** Options of `addConnection`. */
// An interface cannot extend the options of a command.
export type ConnectionOptions = {
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly envFile?: string | undefined;
  readonly json?: true | undefined;
};

/** Client of a command. */
export interface Connection {
  readonly tryon: TryOn;
  readonly apiKey: string;
  readonly baseUrl: string;
  /** If true, try-ons cost money. */
  readonly isLive: boolean;
  /** Environment with the variables of `--env-file`. */
  readonly environment: CliContext["environment"];
}

/**
 * Creates the client of a command. The key comes from `--api-key`, `--env-file`, the environment or a hidden prompt.
 *
 * @throws UsageError without a URL or a key.
 */
export async function connect(
  options: ConnectionOptions,
  context: CliContext,
  client: { readonly budget?: BudgetLimit; readonly keyInMetadata?: boolean } = {},
): Promise<Connection> {
  const environment = withEnvFile(context.environment, options.envFile);
  const baseUrl = options.baseUrl ?? environment["TRYON_BASE_URL"]?.trim();
  if (!baseUrl) {
    throw new UsageError(
      "the service is missing. Use --base-url https://tryon.example, or set TRYON_BASE_URL.",
    );
  }
  const apiKey = (
    options.apiKey ??
    (environment["TRYON_API_KEY"] || (await askForKey(context)))
  ).trim();
  if (!apiKey) throw new UsageError("the key is missing. Set TRYON_API_KEY, or use --env-file.");
  // The commands print warnings and progress themselves.
  const quiet = environment["TRYON_LOG"] ? {} : { logger: {} };
  const recoveryKeys = environment["TRYON_RECOVERY_KEYS"]?.match(/[^\s,]+/g) ?? [];
  const tryon = new TryOn({ apiKey, baseUrl, recoveryKeys, ...client, ...quiet });
  return { tryon, apiKey, baseUrl, environment, isLive: !apiKey.startsWith("svc_test_") };
}

/** Asks for the key on a terminal, without an echo. Returns an empty text elsewhere. */
async function askForKey({ stdin, stderr }: CliContext): Promise<string> {
  if (stdin.isTTY !== true || stderr.isTTY !== true) return "";
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: stdin, output, terminal: true });
  // The reader has turned the echo off.
  stderr.write("API key (hidden): ");
  const key = await new Promise<string>((resolve) => {
    reader.once("line", resolve);
    // Also Ctrl+C and Ctrl+D.
    reader.once("close", () => resolve(""));
  });
  reader.close();
  stderr.write("\n");
  return key;
}
