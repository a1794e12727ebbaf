import { createProgram, parse, runCommand } from "@tryon/command-line";

import packageJson from "../package.json" with { type: "json" };
import type { CliContext } from "./context.ts";

/** Runs a command line and returns the exit code. */
export function run(argv: readonly string[], context: CliContext): Promise<number> {
  return runCommand("tryon", context.stderr, async () => {
    const { stdout, environment } = context;
    const program = createProgram({
      name: "cli",
      command: "tryon",
      version: packageJson.version,
      source: import.meta.url,
      stdout,
      environment,
    });
    parse(program, argv.length === 0 ? ["--help"] : argv);
    return 0;
  });
}
