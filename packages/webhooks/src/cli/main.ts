#!/usr/bin/env node
import { run } from "./run.ts";

const { stdin, stdout, stderr, env: environment } = process;
const elapsed = (): number => performance.now();
process.exitCode = await run(process.argv.slice(2), {
  stdin,
  stdout,
  stderr,
  environment,
  fetch,
  elapsed,
});
