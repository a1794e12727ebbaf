#!/usr/bin/env node
import packageJson from "../../package.json" with { type: "json" };
import type { Engine } from "../engine/engine.ts";
import { createMock, type Mock } from "../mock.ts";
import { nodeNetwork } from "../node/network.ts";
import { serve, type Serving } from "../node/serve.ts";
import { help, readArguments, UsageError, type ServeCommand } from "./arguments.ts";
import { readConfig } from "./config.ts";

const usageExitCode = 2;

async function main(): Promise<void> {
  const command = readArguments(process.argv.slice(2));
  if (command.kind === "help") process.stdout.write(help);
  else if (command.kind === "version") process.stdout.write(`${packageJson.version}\n`);
  else await runServer(command);
}

async function runServer(command: ServeCommand): Promise<void> {
  const mock = await makeMock(command);
  const server = await serve(mock, { port: command.port, host: command.host });
  announce(command, mock, server);
  stopOnSignal(mock, server);
}

async function makeMock(command: ServeCommand): Promise<Mock> {
  const config = command.config === undefined ? {} : await readConfig(command.config);
  const engine = command.engine === "composite" ? await loadCompositeEngine() : undefined;
  try {
    return createMock({
      network: nodeNetwork(),
      allowPrivateWebhooks: /^(localhost|127\.[\d.]+|::1)$/.test(command.host),
      ...config,
      ...(command.profile !== undefined && { profile: command.profile }),
      ...(command.latency !== undefined && { latency: command.latency }),
      ...(command.seed !== undefined && { seed: command.seed }),
      ...(engine !== undefined && { engine }),
    });
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

function announce(command: ServeCommand, mock: Mock, server: Serving): void {
  const where = `tryon-mock listening on ${server.url}\n`;
  if (command.printEnv) {
    process.stderr.write(where);
    process.stdout.write(
      `TRYON_BASE_URL=${server.url}\nTRYON_API_KEY=${mock.keys.live}\nTRYON_WEBHOOK_SECRET=${mock.webhookSecret}\n`,
    );
    return;
  }
  process.stdout.write(where);
  if (command.quiet) return;
  process.stdout.write(
    `  live key ${mock.keys.live}, test key ${mock.keys.test}, webhook secret ${mock.webhookSecret}\n` +
      `  engine ${command.engine}; API page ${server.url}/api/docs; stop with Ctrl+C\n`,
  );
}

function stopOnSignal(mock: Mock, server: Serving): void {
  let stopping = false;
  const stop = (): void => {
    // The second signal does not wait for anything.
    if (stopping) process.exit(1);
    stopping = true;
    mock.close();
    void server.close().then(() => process.exit(0));
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, stop);
}

try {
  await main();
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`tryon-mock: ${message}\n`);
  process.exitCode = error instanceof UsageError ? usageExitCode : 1;
}
