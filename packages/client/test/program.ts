import { fork, type Serializable } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export type Program<Message> = ReturnType<typeof startProgram<Message>>;

/**
 * Starts a program of this folder in a child process that exchanges messages with the test. The first one fills the
 * compile cache in the folder `cache` for the others. `within` is a command that runs the program, such as `unshare`.
 */
export function startProgram<Message>(
  file: string,
  args: readonly string[],
  cache: string,
  flags: readonly string[] = [],
  within: readonly string[] = [],
) {
  const [execPath, ...execArgv] = [...within, process.execPath];
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    execPath,
    execArgv: [...execArgv, "--conditions=@tryon/source", ...flags],
    // The client must not detect a test runner.
    env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: cache },
    stdio: ["ignore", "inherit", "pipe", "ipc"],
  });
  const messages: Message[] = [];
  const waiting: ((message: Message | undefined) => void)[] = [];
  let hasEnded = false;
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  child.on("message", (value) => {
    // Each program sends messages of its type.
    const message = value as Message;
    const resolve = waiting.shift();
    if (resolve === undefined) messages.push(message);
    else resolve(message);
  });
  const end = once(child, "close").then(([code]: (number | null)[]) => {
    hasEnded = true;
    for (const resolve of waiting) resolve(undefined);
    return { code: code ?? null, errors };
  });
  return {
    // A killed program receives no message.
    send: (message: Serializable) => void (child.connected && child.send(message, () => undefined)),
    /** Returns the next message, or undefined once the program has ended. */
    next: async () => {
      if (messages.length > 0 || hasEnded) return messages.shift();
      return new Promise<Message | undefined>((resolve) => {
        waiting.push(resolve);
      });
    },
    /** Kills the program with SIGKILL. Resolves once it has ended. */
    kill: async () => {
      child.kill("SIGKILL");
      await end;
    },
    /** Exit code, or null if the program was killed, and the text on stderr. */
    end,
  };
}
