import { createProgram, parse, runCommand, type Command } from "@tryon/command-line";

import { version } from "../version.ts";
import { exitCodes } from "./program.ts";

/**
 * Runs a command beside the checks, such as `tryon-contract record`.
 *
 * @param define Adds options to the program, and starts its work as its action.
 * @returns the exit code.
 */
export function runSubcommand(
  command: string,
  argv: readonly string[],
  define: (program: Command, start: (work: () => Promise<number>) => void) => void,
): Promise<number> {
  const { stdout, stderr, env: environment } = process;
  const work = async (): Promise<number> => {
    let run: (() => Promise<number>) | undefined;
    const source = import.meta.url;
    const options = { name: "contract", command, version, source, stdout, environment };
    const program = createProgram(options).helpCommand(false);
    define(program, (started) => (run = started));
    parse(program, argv);
    return (await run?.()) ?? exitCodes.passed;
  };
  return runCommand(command, stderr, work, exitCodes.internal);
}
