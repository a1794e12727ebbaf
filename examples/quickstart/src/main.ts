import { isTryOnError } from "@tryon/client";

import { help, readArguments, UserError } from "./arguments.ts";
import { quickstart } from "./quickstart.ts";

/** What a shell shows for a program that a signal has ended. */
const exitCodes: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

const stop = new AbortController();
for (const signal of Object.keys(exitCodes)) {
  process.once(signal, () => {
    process.exitCode = exitCodes[signal];
    stop.abort(new UserError("Stopped."));
  });
}

// Whoever reads the output may stop reading, as `head` does; there is nobody left to tell then.
process.stdout.on("error", () => process.exit());

try {
  const chosen = readArguments(process.argv.slice(2), process.env["INIT_CWD"] ?? process.cwd());
  if (chosen === undefined) process.stdout.write(help);
  else await quickstart(chosen, process.stdout, stop.signal);
} catch (error) {
  if (!(error instanceof UserError || isTryOnError(error))) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode ??= 1;
}
