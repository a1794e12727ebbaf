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
}

/** Parameters of all methods. */
export interface CallParams {
  readonly path: string;
  readonly job: string;
  readonly key: string;
  readonly owner: string;
  readonly ttl: number;
}

/** Call from a receiver process. */
export interface Call {
  readonly method: string;
  readonly params: CallParams;
}

/** A started receiver process. */
export interface ReceiverProcess {
  /** Listens on a port, or on a free port for 0, and returns the port. */
  listen(port: number): Promise<number>;
  /** Kills the process with SIGKILL and waits for its end. */
  kill(): Promise<void>;
}

/** Message to a receiver process: a port to listen on, or the result of a call. */
export type ParentMessage =
  | { readonly port: number }
  | { readonly id: number; readonly result: CallResult | undefined };

/** Message from a receiver process: its port, once it has started and once it listens, or a call. */
type ChildMessage = { readonly port: number } | (Call & { readonly id: number });

export interface ProcessSettings {
  readonly respond: (call: Call) => Promise<CallResult | undefined>;
  /** Folder of the compile cache that all processes share. */
  readonly cache: string;
  readonly secret: string;
}

/** Starts a receiver process that can listen. */
export async function startReceiver(
  { respond, cache, secret }: ProcessSettings,
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
  let port = Promise.withResolvers<number>();
  // A message to a killed process fails, as planned.
  const send = (message: ParentMessage): unknown =>
    child.connected && child.send(message, () => undefined);
  child.on("message", (message: ChildMessage) => {
    if ("id" in message) {
      void respond(message).then((result) => send({ id: message.id, result }));
    } else port.resolve(message.port);
  });
  await Promise.race([port.promise, endedEarly]);
  return {
    async listen(wanted) {
      port = Promise.withResolvers();
      send({ port: wanted });
      return Promise.race([port.promise, endedEarly]);
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
