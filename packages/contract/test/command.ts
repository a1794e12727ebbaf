import { fileURLToPath } from "node:url";

import { startScript } from "@tryon/test-kit/start-program";

import { run } from "../src/cli/run.ts";
import type { CliContext } from "../src/cli/run-command.ts";
import { controlToken } from "./served.ts";

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

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

/** Runs the command in this process, as `main.ts` does. Its environment has the token of the control API. */
export async function command(
  argv: readonly string[],
  around: Partial<CliContext> & { readonly terminal?: boolean } = {},
): Promise<Ended> {
  const { terminal = false, ...rest } = around;
  const environment = { TRYON_MOCK_TOKEN: controlToken, ...around.environment };
  const [stdout, stderr] = [stream(terminal), stream(terminal)];
  const signal = new AbortController().signal;
  const code = await run(argv, { stdout, stderr, signal, ...rest, environment });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
export const programs = {
  contract: pathOf("../src/cli/main.ts"),
  mock: pathOf("../../mock/src/cli/main.ts"),
};

type Environment = Readonly<Record<string, string>>;

/** Starts a command as a program, without the environment of this process. */
export function start(script: string, argv: readonly string[], given: Environment = {}) {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return startScript(script, argv, { env: { PATH, NODE_COMPILE_CACHE, ...given } });
}

export async function runProgram(script: string, argv: readonly string[], given?: Environment) {
  const program = start(script, argv, given);
  const { code } = await program.ended;
  return { code, ...program.output };
}

export function runContractProgram(...argv: readonly string[]) {
  return runProgram(programs.contract, argv);
}
