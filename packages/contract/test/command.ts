import { run } from "../src/cli/run.ts";
import type { CliContext } from "../src/cli/run-command.ts";

/** Exit code and output of a command. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Stream that keeps its text. */
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
  const code = await run(argv, { stdout, stderr, environment, signal, ...rest });
  return { code, stdout: stdout.text, stderr: stderr.text };
}
