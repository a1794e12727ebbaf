import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("receiver-program.ts", import.meta.url));
const node = fileURLToPath(new URL("../../../../../node_modules/node/bin/node", import.meta.url));

/** A receiver in a process of its own, which waits to be told where to listen. */
export interface ReceiverProcess {
  /** Resolves with its port, once it listens there; 0 for one that is free. */
  listen(port: number): Promise<number>;
  /** Kills it as the system does when memory is short; resolves when it has gone. */
  kill(): Promise<void>;
}

/** Starts one, and resolves when it could listen. */
export async function receiverProcess(
  ...parameters: readonly [direction: string, secret: string, claimFor: string]
): Promise<ReceiverProcess> {
  const child = fork(program, parameters, {
    execPath: node,
    execArgv: ["--conditions=@tryon/source"],
    env: { PATH: process.env["PATH"] },
  });
  const ended = once(child, "close");
  const heard = async (): Promise<unknown> => {
    const [message] = await Promise.race([
      once(child, "message"),
      ended.then(() => Promise.reject(new Error("The receiver has ended by itself."))),
    ]);
    return message;
  };
  await heard();
  return {
    async listen(port) {
      const listening = heard();
      child.send(port);
      // The program sends what its server says of its address.
      return ((await listening) as { port: number }).port;
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
