import { readArguments } from "../src/cli/arguments.ts";
import { UsageError } from "../src/cli/flags.ts";
import { runCommand, type CliContext } from "../src/cli/run-command.ts";

/** What a command has left. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where a test sees what was written. */
export function stream(isTTY = false) {
  const state = { text: "" };
  return {
    isTTY,
    columns: 60,
    write: (text: string) => {
      state.text += text;
    },
    get text() {
      return state.text;
    },
  };
}

/** Runs the command in this process, as `main.ts` does. */
export async function command(
  argv: readonly string[],
  around: Partial<CliContext> & { readonly terminal?: boolean } = {},
): Promise<Ended> {
  const { terminal = false, environment = {}, ...rest } = around;
  const [stdout, stderr] = [stream(terminal), stream(terminal)];
  const signal = new AbortController().signal;
  const ended = (code: number): Ended => ({ code, stdout: stdout.text, stderr: stderr.text });
  try {
    const read = readArguments(argv, environment);
    if (read.kind !== "run") throw new Error(`${argv.join(" ")} is no run.`);
    return ended(await runCommand(read, { stdout, stderr, environment, signal, ...rest }));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    stderr.write(`tryon-contract: ${error.message}\n`);
    return ended(2);
  }
}
