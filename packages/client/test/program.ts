import { fork, type Serializable } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A program of this folder in a process of its own, which talks with the one that has started it. */
export interface Program<Said> {
  readonly pid: number;
  tell(what: Serializable): void;
  /** What it says next, from the first on; nothing once it has ended. */
  hear(): Promise<Said | undefined>;
  /** Kills it as the system does when memory is short; resolves when it has gone. */
  kill(): Promise<void>;
  /** What it ended with, once it has: a code, or nothing if it was killed, and what it wrote as errors. */
  readonly end: Promise<{ readonly code: number | null; readonly errors: string }>;
}

/** Starts one. `cache` is a folder where the first leaves for the others what it has compiled. */
export function startProgram<Said>(
  file: string,
  given: readonly string[],
  cache: string,
): Program<Said> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), given, {
    execArgv: ["--conditions=@tryon/source"],
    // Nothing of the tests: what it would do differently under them is not what is tested.
    env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: cache },
    stdio: ["ignore", "inherit", "pipe", "ipc"],
  });
  const said: Said[] = [];
  const hearing: ((said: Said | undefined) => void)[] = [];
  let hasEnded = false;
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  child.on("message", (message) => {
    // Each program says what its type says.
    const one = message as Said;
    const hear = hearing.shift();
    if (hear === undefined) said.push(one);
    else hear(one);
  });
  const end = once(child, "close").then(([code]: (number | null)[]) => {
    hasEnded = true;
    for (const hear of hearing) hear(undefined);
    return { code: code ?? null, errors };
  });
  return {
    pid: child.pid ?? 0,
    // Whoever has been killed hears nothing, which is no fault.
    tell: (what) => void (child.connected && child.send(what, () => undefined)),
    hear: async () => {
      if (said.length > 0 || hasEnded) return said.shift();
      return new Promise((resolve) => {
        hearing.push(resolve);
      });
    },
    kill: async () => {
      child.kill("SIGKILL");
      await end;
    },
    end,
  };
}
