import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { node } from "@tryon/test-kit/repository";
import type { ReceiverProcess, ReceiverSetup } from "./fault-scenario.ts";

const program = fileURLToPath(new URL("receiver-program.ts", import.meta.url));

/** Message to a receiver process: its settings, or the result of a call. */
export type ToProcess =
  | { readonly secret: string; readonly claimTtl: number | undefined }
  | { readonly id: number; readonly result?: unknown; readonly error?: string };

export interface Call {
  readonly id: number;
  readonly method: "started" | "listening" | "claim" | "done" | "release" | "handle" | "abort";
  readonly args: readonly [first: string, owner: string, number: number];
}

/** Processes that are started for all kills, so that no later start keeps the machine busy. */
export class ReceiverPool {
  /** Errors that no plan has. */
  readonly errors: string[] = [];
  readonly #processes: ChildProcess[];
  #taken = 0;

  private constructor(processes: ChildProcess[]) {
    this.#processes = processes;
  }

  /** @param cache folder of the compile cache that all processes share */
  static async start(count: number, cache: string): Promise<ReceiverPool> {
    const options = {
      execPath: node,
      execArgv: ["--conditions=@tryon/source"],
      env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: cache },
    };
    const processes = Array.from({ length: count }, () => fork(program, options));
    await Promise.all(processes.map((child) => once(child, "message")));
    return new ReceiverPool(processes);
  }

  /** Lets a process of the pool listen. Its store and its handler are in this process. */
  readonly take = ({ secret, claimTtl, store, handle }: ReceiverSetup): ReceiverProcess => {
    const child = this.#processes[this.#taken++];
    if (child === undefined) throw new Error("All processes of the pool were killed.");
    const listening = Promise.withResolvers<number>();
    const run = async ({ method, args: [first, owner, number] }: Call): Promise<unknown> => {
      if (method === "listening") return listening.resolve(number);
      if (method === "claim") return store.claim(first, owner, number);
      if (method === "done") return store.done(first, number);
      if (method === "release") return store.release(first, owner);
      if (method === "handle") return handle();
      return this.errors.push(`A handler lost its claim, or the process called ${method}.`);
    };
    const respond = async (call: Call): Promise<void> => {
      const reply = await run(call).then(
        (result) => ({ result }),
        (error: unknown) => ({ error: String(error) }),
      );
      // A message to a killed process fails, as planned.
      if (child.connected) child.send({ id: call.id, ...reply }, () => undefined);
    };
    child.on("message", (call: Call) => void (child.killed || respond(call)));
    child.send({ secret, claimTtl } satisfies ToProcess);
    return {
      receive: async ({ method, headers, body, signal }) => {
        const init = { method, headers, body, signal, duplex: "half" } as RequestInit;
        return fetch(`http://127.0.0.1:${await listening.promise}`, init);
      },
      kill: () => void child.kill("SIGKILL"),
    };
  };

  async close(): Promise<void> {
    const running = this.#processes.filter(({ exitCode, signalCode }) => !(exitCode ?? signalCode));
    const ended = running.map((child) => once(child, "close"));
    for (const child of running) child.kill("SIGKILL");
    await Promise.all(ended);
  }
}
