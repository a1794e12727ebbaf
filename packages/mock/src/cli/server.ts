import type { Engine } from "../engine/engine.ts";
import { isLoopback } from "../loopback.ts";
import { createMock, type Mock } from "../mock.ts";
import { nodeNetwork } from "../node/network.ts";
import { serve, type Serving } from "../node/serve.ts";
import type { EngineName, ServerCommand } from "./arguments.ts";
import { readConfig, readProfile } from "./config.ts";
import { UsageError } from "./flags.ts";

/** A mock and its server, as a command line asked for them. */
export interface RunningServer {
  readonly mock: Mock;
  readonly url: string;
  readonly engine: EngineName;
  /** Ends both; calls under way have half a second. */
  stop(): Promise<void>;
}

/** @throws UsageError for what cannot be understood, Error when the port cannot be had. */
export async function startServer(command: ServerCommand): Promise<RunningServer> {
  const { engine, mock } = await makeMock(command);
  const server = await serve(mock, {
    port: command.port,
    host: command.host,
    openControl: command.openControl,
  });
  if (!isLoopback(command.host) && !command.quiet) warn(server);
  const stop = async (): Promise<void> => {
    mock.close();
    await server.close();
  };
  return { mock, url: server.url, engine, stop };
}

/** The variables in which a client looks for its server and its keys. */
export function clientEnvironment(
  server: RunningServer,
  url = server.url,
): Readonly<Record<string, string>> {
  return {
    TRYON_BASE_URL: url,
    TRYON_API_KEY: server.mock.keys.live,
    TRYON_WEBHOOK_SECRET: server.mock.webhookSecret,
  };
}

async function makeMock(command: ServerCommand): Promise<{ engine: EngineName; mock: Mock }> {
  const config = command.config === undefined ? undefined : await readConfig(command.config);
  const profile =
    typeof command.profile === "object" ? await readProfile(command.profile.file) : command.profile;
  const name = command.engine ?? config?.engine ?? "stock";
  const engine = name === "composite" ? await loadCompositeEngine() : undefined;
  try {
    const mock = createMock({
      network: nodeNetwork(),
      allowPrivateWebhooks: isLoopback(command.host),
      ...config?.options,
      ...(profile !== undefined && { profile }),
      ...(command.latency !== undefined && { latency: command.latency }),
      ...(command.seed !== undefined && { seed: command.seed }),
      ...(command.corsOrigins !== undefined && { corsOrigins: command.corsOrigins }),
      ...(engine !== undefined && { engine }),
    });
    return { engine: name, mock };
  } catch (error) {
    // The flags were checked when they were read, so what is wrong stands in the file.
    if (command.config === undefined || !(error instanceof Error)) throw error;
    throw new UsageError(`${command.config}: ${error.message}`, { cause: error });
  }
}

async function loadCompositeEngine(): Promise<Engine> {
  const { compositeEngine } = await import("../engine/composite/composite.ts");
  return compositeEngine();
}

function warn({ host, port }: Serving): void {
  process.stderr.write(
    `tryon-mock: ${host} is no loopback address: whoever can reach port ${port} of this machine can use every key and see every job. Leave --host out to keep it to this machine.\n`,
  );
}
