/** Runs `tryon mcp` on the standard streams of this process. */
import { createProgram, parse, runCommand } from "@tryon/command-line";

import { addMcpOptions, serveMcp } from "../src/mcp/serve-mcp.ts";

const { stdin, stdout, stderr, env: environment } = process;
const source = import.meta.url;
process.exitCode = await runCommand("tryon", stderr, async () => {
  let code = Promise.resolve(-1);
  const program = createProgram({ name: "cli", version: "1", source, stdout, environment });
  addMcpOptions(program).action((options) => {
    const interrupted = new AbortController();
    process.once("SIGINT", () => interrupted.abort());
    const onInterrupt = () => interrupted.signal;
    code = serveMcp(options, { stdin, stdout, stderr, environment, onInterrupt });
  });
  parse(program, process.argv.slice(2));
  return code;
});
