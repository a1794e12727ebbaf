import { exitOnLostOutput, runCommand } from "@tryon/cli-kit";

import { runMock } from "./program.ts";

exitOnLostOutput("tryon-mock");
const { stdout, stderr, env: environment } = process;
process.exitCode = await runCommand("tryon-mock", stderr, () =>
  // The modules of a command are loaded late, so that the others start fast.
  runMock(
    process.argv.slice(2),
    { stdout, environment },
    {
      serve: async (command) => (await import("./serve-command.ts")).runServe(command),
      // A caller of the server can still have an open connection.
      exec: async (command) =>
        process.exit(await (await import("./exec-command.ts")).runExec(command)),
    },
  ),
);
