import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { writePrivateFile } from "@tryon/shared/private-file";

import type { ServeCommand } from "./program.ts";
import { clientEnvironment, startServer, type RunningServer } from "./server.ts";

export async function runServe(command: ServeCommand): Promise<number> {
  const { stdout, stderr } = process;
  // With --print-env, stdout has only variables.
  const server = await startServer(command, command.printEnv === true ? stderr : stdout);
  const file = server.hasNewToken ? await saveToken(server) : undefined;
  announce(command, server, file);
  stopOnSignal(server, file);
  return 0;
}

async function saveToken({ port, controlToken }: RunningServer): Promise<string | undefined> {
  const file = join(tmpdir(), `tryon-mock-${port}.token`);
  try {
    await writePrivateFile(file, `${controlToken}\n`);
    return file;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`tryon-mock: the control token has no file: ${reason}\n`);
    return undefined;
  }
}

function announce(command: ServeCommand, server: RunningServer, file: string | undefined): void {
  const { mock, url, engine, controlPage } = server;
  const where = `tryon-mock listening on ${url}\n`;
  if (command.printEnv === true) {
    process.stderr.write(where);
    const lines = Object.entries(clientEnvironment(server));
    process.stdout.write(lines.map(([name, value]) => `${name}=${value}\n`).join(""));
    return;
  }
  process.stdout.write(where);
  if (command.quiet === true) return;
  process.stdout.write(
    `  live key ${mock.keys.live}, test key ${mock.keys.test}, webhook secret ${mock.webhookSecret}\n` +
      `  engine ${engine}; API page ${url}/api/docs; stop with Ctrl+C\n` +
      `  control page ${controlPage}${file === undefined ? "" : `\n  control token in ${file}`}\n`,
  );
}

function stopOnSignal(server: RunningServer, file: string | undefined): void {
  let stopping = false;
  const stop = (): void => {
    // The second signal ends the process at once.
    if (stopping) process.exit(1);
    stopping = true;
    if (file !== undefined) rmSync(file, { force: true });
    void server.stop().then(() => process.exit(0));
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, stop);
}
