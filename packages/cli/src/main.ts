#!/usr/bin/env node
import module from "node:module";

// Later starts read compiled code from a cache, so everything else is imported after this call. Node 20 has none.
module.enableCompileCache?.();

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

/** Commands of other packages, which read the arguments of the process. */
const others: Readonly<Record<string, () => Promise<unknown>>> = {
  mock: () => import("@tryon/mock/cli"),
  contract: () => import("@tryon/contract/cli"),
  webhooks: () => import("@tryon/webhooks/cli"),
};

const name = process.argv[2] ?? "";
const other = others[name];
if (name === "mock" && !module.enableCompileCache) {
  process.stderr.write(
    `tryon mock: needs Node 22.12 or later; this is ${process.versions.node}.\n`,
  );
  process.exitCode = 2;
} else if (other) {
  process.argv.splice(2, 1);
  await other();
} else {
  const { bypassProxyForLoopback, exitOnLostOutput } = await import("@tryon/cli-kit");
  const { run } = await import("./run.ts");
  exitOnLostOutput("tryon");
  bypassProxyForLoopback(process.env);
  const { stdin, stdout, stderr, env: environment } = process;
  const context = { stdin, stdout, stderr, environment, onInterrupt };
  process.exitCode = await run(process.argv.slice(2), context);
}
