#!/usr/bin/env node
import { enableCompileCache } from "node:module";

// Later starts read compiled code from a cache, so everything else is imported after this call. Node 20 has none.
enableCompileCache?.();
const { exitOnClosedPipe } = await import("@tryon/command-line");
const { run } = await import("./run.ts");

/** Returns the signal of the first Ctrl+C. The second one ends the process. */
function onInterrupt(): AbortSignal {
  const controller = new AbortController();
  const interrupt = (): void => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  };
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", interrupt);
  return controller.signal;
}

exitOnClosedPipe();
const { stdin, stdout, stderr, env: environment } = process;
process.exitCode = await run(process.argv.slice(2), {
  stdin,
  stdout,
  stderr,
  environment,
  onInterrupt,
});
