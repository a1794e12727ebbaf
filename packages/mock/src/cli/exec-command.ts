import { runBesideServer } from "@tryon/cli-kit/run-program";

import type { ExecCommand } from "./program.ts";
import { clientEnvironment, loopback, startServer } from "./server.ts";

export async function runExec(command: ExecCommand): Promise<number> {
  const { program, programArguments } = command;
  return runBesideServer("tryon-mock", [program, ...programArguments], async () => {
    const server = await startServer(command, process.stderr);
    if (command.quiet !== true) {
      const { url, controlPage } = server;
      process.stderr.write(`tryon-mock listening on ${url}\n  control page ${controlPage}\n`);
    }
    const stop = async (): Promise<void> => server.stop();
    // Jobs of this server end at once by default, and tests should not wait for seconds.
    const environment = {
      ...clientEnvironment(server, loopback(server.url)),
      TRYON_POLL_INTERVAL: "250ms",
    };
    return { environment, stop };
  });
}
