#!/usr/bin/env node
import { bypassProxyForLoopback, exitOnLostOutput } from "@tryon/cli-kit";

import { run } from "./run.ts";

const { stdin, stdout, stderr, env: environment } = process;
const elapsed = (): number => performance.now();
exitOnLostOutput("tryon-webhooks");
bypassProxyForLoopback(process.env);
process.exitCode = await run(process.argv.slice(2), {
  stdin,
  stdout,
  stderr,
  environment,
  fetch,
  elapsed,
});
