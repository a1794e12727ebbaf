import { exitOnClosedPipe, runCommand } from "@tryon/command-line";

import { readCommand } from "./program.ts";

exitOnClosedPipe();
const { stdout, stderr, env: environment } = process;
process.exitCode = await runCommand("tryon-mock", stderr, async () => {
  const command = readCommand(process.argv.slice(2), { stdout, environment });
  if (command === undefined) return 0;
  // The modules of a command are loaded late, so that the others start fast.
  if (command.kind === "serve") {
    const { runServe } = await import("./serve-command.ts");
    return runServe(command);
  }
  const { runExec } = await import("./exec-command.ts");
  // A caller of the server can still have an open connection.
  return process.exit(await runExec(command));
});
