import { startProgram, type Program } from "@tryon/test-kit/start-program";

/** Working directory and environment of a terminal. */
export interface Place {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Starts a shell command that keeps running, such as a server. */
export function started(command: string, place: Place): Program {
  return startProgram("sh", ["-c", command], { ...place, detached: true });
}

/**
 * Runs a shell command and returns its output.
 *
 * @throws Error with the output, if the command fails.
 */
export async function typed(command: string, place: Place): Promise<string> {
  const program = started(command, place);
  const { code } = await program.ended;
  if (code !== 0) throw new Error(`${command} ended with ${code}:\n${program.text}`);
  return program.text;
}
