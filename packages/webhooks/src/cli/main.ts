#!/usr/bin/env node
import { bypassProxyForLoopback, exitOnClosedPipe } from "@tryon/command-line";

import { run } from "./run.ts";

const { stdin, stdout, stderr, env: environment } = process;
const elapsed = (): number => performance.now();
exitOnClosedPipe();
bypassProxyForLoopback(process.env);
process.exitCode = await run(process.argv.slice(2), {
  stdin,
  stdout,
  stderr,
  environment,
  fetch,
  elapsed,
});
