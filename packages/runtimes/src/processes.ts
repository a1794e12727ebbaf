import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Time limit on a busy machine. A program that does not end by itself has failed. */
const timeout = 300_000;

export interface Message {
  readonly value: unknown;
  readonly versions: Readonly<Record<string, string>>;
}

/** Runs a program until it ends by itself, and returns its result. */
export async function messagesOf(
  command: string,
  args: readonly string[],
  folder: string,
): Promise<Message> {
  // Far from UTC, so that a time without a zone shows whether it is parsed as local time.
  const env = {
    PATH: process.env["PATH"],
    TZ: "Asia/Kolkata",
    DENO_NO_UPDATE_CHECK: "1",
    NO_COLOR: "1",
  };
  const { stdout } = await run(command, args, { cwd: folder, env, timeout }).catch(
    (error: { killed?: boolean; stderr?: string; message: string }) => {
      const silent = error.killed ? `It had not ended after ${timeout / 1_000} s.` : error.message;
      throw new Error(error.stderr?.trim() || silent);
    },
  );
  // The code around the program prints the last line.
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Message;
}
