import { fileURLToPath } from "node:url";

import { startScript } from "@tryon/test-kit/start-program";
import { onTestFinished } from "vitest";

import { controlToken } from "./control-token.ts";

const main = fileURLToPath(new URL("../src/cli/main.ts", import.meta.url));

/** The command in a process of its own, and its output so far. */
export type Command = ReturnType<typeof commandWith>;

/** Starts the command from its source until the end of the test. */
export function command(...argv: readonly string[]): Command {
  return commandWith({}, ...argv);
}

/** Starts the command with further environment variables. */
export function commandWith(
  environment: Readonly<Record<string, string>>,
  ...argv: readonly string[]
) {
  const env = {
    PATH: process.env["PATH"],
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
    TRYON_MOCK_TOKEN: controlToken,
    ...environment,
  };
  const program = startScript(main, argv, { env });
  onTestFinished(async () => void (await program.stop("SIGKILL")));
  const waitFor = (line: RegExp) => program.waitFor(line);
  /** Resolves with the URL that the command prints when it listens. */
  const listening = waitFor(/^tryon-mock listening on (\S+)$/m).then(([, url = ""]) => url);
  // Some tests wait for the end alone.
  listening.catch(() => undefined);
  const { child, output, ended } = program;
  const [stdout, stderr] = [() => output.stdout, () => output.stderr];
  return { child, stdout, stderr, waitFor, listening, ended };
}
