import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { node } from "@tryon/test-kit/repository";

const program = fileURLToPath(new URL("receiver-program.ts", import.meta.url));

/** Call from a receiver process. */
export interface Call {
  readonly id: number;
  readonly method: string;
  readonly args: readonly [id: string, other: string, number: number];
}

/** Result of a call, or its error. */
export interface Reply {
  readonly result?: unknown;
  readonly error?: string;
}

/** A started receiver process. */
export interface ReceiverProcess {
  /** Listens on a port, or on a free port for 0, and returns the port. */
  listen(port: number): Promise<number>;
  /** Kills the process with SIGKILL and waits for its end. */
  kill(): Promise<void>;
}

/**
 * Starts a receiver process that can listen.
 *
 * @param cache folder of the compile cache that all processes share.
 */
export async function startReceiver(
  respond: (call: Call) => Promise<Reply>,
  cache: string,
  secret: string,
  claimTtl: number,
): Promise<ReceiverProcess> {
  const child = fork(program, [secret, String(claimTtl)], {
    execPath: node,
    execArgv: ["--conditions=@tryon/source"],
    env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: cache },
  });
  const ended = once(child, "close");
  const endedEarly = ended.then(() => Promise.reject(new Error("The receiver process ended.")));
  endedEarly.catch(() => undefined);
  const started = Promise.withResolvers<void>();
  const listen = Promise.withResolvers<Reply>();
  const listening = Promise.withResolvers<number>();
  const receive = async (call: Call): Promise<void> => {
    if (call.method === "started") started.resolve();
    if (call.method === "listening") return listening.resolve(call.args[2]);
    const reply = await (call.method === "started" ? listen.promise : respond(call));
    // A message to a killed process fails, as planned.
    if (child.connected) child.send({ id: call.id, reply }, () => undefined);
  };
  child.on("message", (call: Call) => void receive(call));
  await Promise.race([started.promise, endedEarly]);
  return {
    listen(port) {
      listen.resolve({ result: port });
      return Promise.race([listening.promise, endedEarly]);
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
