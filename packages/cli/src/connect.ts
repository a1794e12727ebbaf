import { createInterface } from "node:readline";
import { Writable } from "node:stream";

import { TryOn, type BudgetLimit } from "@tryon/client";
import { testKey, text, UsageError, withEnvFile, type Command } from "@tryon/cli-kit";

import type { CliContext } from "./context.ts";
import { formatDuration, note } from "./display.ts";

export const addService = <Arguments extends unknown[], Options extends Record<string, unknown>>(
  command: Command<Arguments, Options>,
  otherKey = "",
) =>
  command
    .optionsGroup("Service:")
    .option("--base-url <url>", "URL of the service (default: TRYON_BASE_URL)", text)
    .option("--api-key <key>", `test key (default: TRYON_API_KEY${otherKey})`, testKey)
    .option("--env-file <file>", "file with these variables; it wins over the environment", text);

export const addConnection = <Arguments extends unknown[], Options extends Record<string, unknown>>(
  command: Command<Arguments, Options>,
) => addService(command, ", or a prompt").option("--json", "print JSON, for programs");

export type ConnectionOptions = ReturnType<
  ReturnType<typeof addConnection<[], { json?: true }>>["opts"]
>;

export interface Connection {
  readonly tryon: TryOn;
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly isLive: boolean;
  /** Environment with the variables of `--env-file`. */
  readonly environment: CliContext["environment"];
}

export async function connect(
  options: ConnectionOptions,
  context: CliContext,
  client: { readonly budget?: BudgetLimit; readonly keyInMetadata?: boolean } = {},
): Promise<Connection> {
  const environment = withEnvFile(context.environment, options.envFile, context.stderr);
  const baseUrl = options.baseUrl ?? environment["TRYON_BASE_URL"]?.trim();
  if (!baseUrl) {
    throw new UsageError(
      "the service is missing. Use --base-url https://tryon.example, or set TRYON_BASE_URL.",
    );
  }
  const apiKey = (
    options.apiKey ??
    (environment["TRYON_API_KEY"] || (await askHidden(context, "API key")))
  ).trim();
  if (!apiKey) throw new UsageError("the key is missing. Set TRYON_API_KEY, or use --env-file.");
  // The commands print warnings and progress themselves.
  const quiet = environment["TRYON_LOG"] ? {} : { logger: {} };
  let announced = 0;
  const onRateLimit = (delay: number): void => {
    // Several requests can wait for one end.
    const end = performance.now() + delay;
    if (end - announced < 1_000) return;
    announced = end;
    note(context, `Waiting for the rate limit of the key: ${formatDuration(delay)}`);
  };
  const recoveryKeys = environment["TRYON_RECOVERY_KEYS"]?.match(/[^\s,]+/g) ?? [];
  const tryon = new TryOn({ apiKey, baseUrl, onRateLimit, recoveryKeys, ...client, ...quiet });
  context.clients.push(tryon);
  return { tryon, apiKey, baseUrl, environment, isLive: !apiKey.startsWith("svc_test_") };
}

/** Asks for a secret on a terminal, without an echo. Returns an empty text elsewhere. */
export async function askHidden({ stdin, stderr }: CliContext, name: string): Promise<string> {
  if (stdin.isTTY !== true || stderr.isTTY !== true) return "";
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: stdin, output, terminal: true });
  // The reader has turned the echo off.
  stderr.write(`${name} (hidden): `);
  const secret = await new Promise<string>((resolve) => {
    reader.once("line", resolve);
    // Also Ctrl+C and Ctrl+D.
    reader.once("close", () => resolve(""));
  });
  reader.close();
  stderr.write("\n");
  return secret;
}
