import { hasColors, UsageError, type Output } from "@tryon/cli-kit";

import type { Engine } from "../engine/engine.ts";
import { isLoopback } from "@tryon/shared/key-url";
import { OptionsError } from "@tryon/shared/options";
import { createMock, type Mock } from "../mock.ts";
import { controlTokenOf } from "../node/control-access.ts";
import { nodeNetwork } from "../node/network.ts";
import { serve, type Serving } from "../node/serve.ts";
import { createSqliteStore } from "../node/sqlite-store.ts";
import type { EngineName, ServerCommand } from "./program.ts";
import { readConfig, readProfile } from "./config.ts";
import { requestLine } from "./request-log.ts";

export interface RunningServer {
  readonly mock: Mock;
  readonly url: string;
  readonly port: number;
  /** Token of the control API. */
  readonly controlToken: string;
  readonly controlPage: string;
  readonly hasNewToken: boolean;
  readonly engine: EngineName;
  /** Stops both. Open requests have half a second. */
  stop(): Promise<void>;
}

const tokenVariable = "TRYON_MOCK_TOKEN";

export async function startServer(
  command: ServerCommand,
  logOutput: Output,
): Promise<RunningServer> {
  const isOpen = command.openControl === true;
  // An empty variable counts as missing.
  const given = process.env[tokenVariable] || undefined;
  const controlToken = asUsage(() => controlTokenOf(given));
  const { engine, mock } = await makeMock(command);
  logRequests(mock, command, logOutput);
  const server = await serve(mock, {
    port: command.port,
    host: command.host,
    openControl: isOpen,
    controlToken,
  });
  if (!isLoopback(command.host) && command.quiet !== true) warn(server);
  const stop = async (): Promise<void> => {
    mock.close();
    await server.close();
  };
  const { url, port } = server;
  const hasNewToken = !isOpen && given === undefined;
  const controlPage = `${loopback(url)}/__mock/${hasNewToken ? `?token=${controlToken}` : ""}`;
  return { mock, url, port, controlToken, controlPage, hasNewToken, engine, stop };
}

/** Turns each error of a function into one of the command line. */
function asUsage<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function logRequests(mock: Mock, { log = "none" }: ServerCommand, output: Output): void {
  if (log === "none") return;
  const line = requestLine(log, { keys: mock.keys, colors: hasColors(output, process.env) });
  mock.journal.subscribe((entry) => output.write(line(entry)));
}

export function clientEnvironment(
  server: RunningServer,
  url = server.url,
): Readonly<Record<string, string>> {
  return {
    TRYON_BASE_URL: url,
    TRYON_API_KEY: server.mock.keys.live,
    TRYON_WEBHOOK_SECRET: server.mock.webhookSecret,
    [tokenVariable]: server.controlToken,
  };
}

/** Returns the URL for clients on this machine. The server accepts no other host for its control API. */
export function loopback(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}

async function makeMock(command: ServerCommand): Promise<{ engine: EngineName; mock: Mock }> {
  const config = command.config === undefined ? undefined : await readConfig(command.config);
  const profile =
    typeof command.profile === "object" ? await readProfile(command.profile.file) : command.profile;
  const name = command.engine ?? config?.engine ?? "stock";
  const engine = name === "composite" ? await loadCompositeEngine() : undefined;
  const { state: file } = command;
  const store = file === undefined ? undefined : asUsage(() => createSqliteStore(file));
  try {
    const mock = createMock({
      network: nodeNetwork(),
      allowPrivateWebhooks: isLoopback(command.host),
      ...config?.options,
      ...(profile !== undefined && { profile }),
      ...(command.latency !== undefined && { latency: command.latency }),
      ...(command.credits !== undefined && { credits: command.credits }),
      ...(command.seed !== undefined && { seed: command.seed }),
      ...(command.corsOrigin !== undefined && { corsOrigins: command.corsOrigin }),
      ...(engine !== undefined && { engine }),
      ...(store !== undefined && { store }),
    });
    return { engine: name, mock };
  } catch (error) {
    store?.close();
    const { config: path } = command;
    // The flags are valid, so the problem is in the file. Errors of the state name it.
    const place = error instanceof OptionsError ? path : file && "";
    if (place === undefined || !(error instanceof Error)) throw error;
    const message = place === "" ? error.message : `${place}: ${error.message}`;
    throw new UsageError(message, { cause: error });
  }
}

async function loadCompositeEngine(): Promise<Engine> {
  const { compositeEngine } = await import("../engine/composite/composite.ts");
  return compositeEngine();
}

function warn({ host, port }: Serving): void {
  process.stderr.write(
    `tryon-mock: ${host} is not loopback: others can reach port ${port} of this machine, use every key and read every job. For this machine only, omit --host.\n`,
  );
}
