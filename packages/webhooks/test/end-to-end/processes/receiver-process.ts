import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { node } from "@tryon/test-kit/repository";

const program = fileURLToPath(new URL("receiver-program.ts", import.meta.url));

/** Result of a call from a receiver process. */
export interface CallResult {
  readonly state?: string;
  readonly redirects?: boolean;
  readonly fails?: boolean;
  readonly port?: number;
}

/** Call from a receiver process. Each method has some of the parameters. */
export interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: Readonly<Record<"path" | "job" | "key" | "owner", string>> &
    Readonly<Record<"port" | "ttl", number>>;
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
  respond: (call: Call) => Promise<CallResult | undefined>,
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
  const wanted = Promise.withResolvers<CallResult>();
  const listening = Promise.withResolvers<number>();
  const receive = async (call: Call): Promise<void> => {
    if (call.method === "started") started.resolve();
    if (call.method === "listening") return listening.resolve(call.params.port);
    const result = await (call.method === "started" ? wanted.promise : respond(call));
    // A message to a killed process fails, as planned.
    if (child.connected) child.send({ id: call.id, result }, () => undefined);
  };
  child.on("message", (call: Call) => void receive(call));
  await Promise.race([started.promise, endedEarly]);
  return {
    listen(port) {
      wanted.resolve({ port });
      return Promise.race([listening.promise, endedEarly]);
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
