import type { ServeCommand } from "./program.ts";
import { clientEnvironment, startServer, type RunningServer } from "./server.ts";

/** Starts a server that serves until a signal, and returns the exit code of the start. */
export async function runServe(command: ServeCommand): Promise<number> {
  const { stdout, stderr } = process;
  // With --print-env, stdout has only variables.
  const server = await startServer(command, command.printEnv === true ? stderr : stdout);
  announce(command, server);
  stopOnSignal(server);
  return 0;
}

function announce(command: ServeCommand, server: RunningServer): void {
  const { mock, url, engine } = server;
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
      `  engine ${engine}; control page ${url}/__mock/; API page ${url}/api/docs; stop with Ctrl+C\n`,
  );
}

function stopOnSignal(server: RunningServer): void {
  let stopping = false;
  const stop = (): void => {
    // The second signal ends the process at once.
    if (stopping) process.exit(1);
    stopping = true;
    void server.stop().then(() => process.exit(0));
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, stop);
}
