import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { node } from "@tryon/test-kit/repository";
import type { ProcessRequest, ProcessResponse } from "./coordinator.ts";

const program = fileURLToPath(new URL("receiver-program.ts", import.meta.url));

/** A receiver in a process of its own, which waits to be told where to listen. */
export interface ReceiverProcess {
  /** Resolves with its port, once it listens there; 0 for one that is free. */
  listen(port: number): Promise<number>;
  /** Kills it as the system does when memory is short; resolves when it has gone. */
  kill(): Promise<void>;
}

/** What it is told: where to listen, or what it has asked. */
export type Order =
  | { readonly port: number }
  | { readonly number: number; readonly told: ProcessResponse | undefined };

/** What it says: that it has started or listens, or a question. */
type ChildMessage = { readonly port: number } | (ProcessRequest & { readonly number: number });

/** What all receivers have in common. */
export interface ProcessContext {
  readonly tell: (question: ProcessRequest) => Promise<ProcessResponse | undefined>;
  /** The folder where the first leaves for the others what it has compiled. */
  readonly cache: string;
  readonly secret: string;
}

/** Starts one, and resolves when it could listen. */
export async function receiverProcess(
  { tell, cache, secret }: ProcessContext,
  claimTtl: number,
): Promise<ReceiverProcess> {
  const child = fork(program, [secret, String(claimTtl)], {
    execPath: node,
    execArgv: ["--conditions=@tryon/source"],
    env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: cache },
  });
  const ended = once(child, "close");
  const early = ended.then(() => Promise.reject(new Error("The receiver has ended by itself.")));
  early.catch(() => undefined);
  let heard = Promise.withResolvers<number>();
  // Whoever has been killed hears nothing, which is no fault.
  const order = (what: Order): unknown => child.connected && child.send(what, () => undefined);
  child.on("message", (message: ChildMessage) => {
    if ("number" in message) {
      void tell(message).then((told) => order({ number: message.number, told }));
    } else heard.resolve(message.port);
  });
  await Promise.race([heard.promise, early]);
  return {
    async listen(port) {
      heard = Promise.withResolvers();
      order({ port });
      return Promise.race([heard.promise, early]);
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
