import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import type { RateLimiterOptions } from "bullmq";

/** What a worker is told when it is started. */
export interface WorkerSetup {
  readonly name: string;
  readonly redisUrl: string;
  readonly queueName: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly limiter: RateLimiterOptions;
}

/** What a worker is about to do or has done; it goes on when it is answered. */
export interface Question {
  readonly about: "begins" | "sends" | "was answered" | "saves";
  /** The key of the item, or its id, or the name of the worker. */
  readonly key: string;
  readonly number: number;
}

const program = join(import.meta.dirname, "worker-process.ts");

/** Workers in processes of their own. One that is killed is followed by another. */
export class WorkerProcesses {
  readonly #workers = new Map<string, ChildProcess>();
  readonly #begun = new Map<string, PromiseWithResolvers<void>>();
  readonly #setup: Omit<WorkerSetup, "name">;
  readonly #cache: string;
  readonly #ask: (worker: string, question: Question) => Promise<void>;
  #started = 0;
  readonly #ended = Promise.withResolvers<never>();

  /**
   * @param cache - The folder where the first leaves for the others what it has compiled.
   * @param ask - Is told where a worker is, which goes on when it is done.
   */
  constructor(
    setup: Omit<WorkerSetup, "name">,
    cache: string,
    ask: (worker: string, question: Question) => Promise<void>,
  ) {
    this.#setup = setup;
    this.#cache = cache;
    this.#ask = ask;
    this.#ended.promise.catch(() => undefined);
  }

  /** What comes of some work, unless a worker ends by itself meanwhile. */
  during<Result>(work: Promise<Result>): Promise<Result> {
    return Promise.race([work, this.#ended.promise]);
  }

  start(): void {
    const name = `worker-${(this.#started += 1)}`;
    const child = fork(program, [JSON.stringify({ ...this.#setup, name })], {
      execArgv: ["--conditions=@tryon/source"],
      env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: this.#cache },
    });
    this.#workers.set(name, child);
    this.#begun.set(name, Promise.withResolvers());
    child.once("exit", () => {
      if (this.#workers.has(name)) this.#ended.reject(new Error(`${name} has ended by itself.`));
    });
    child.on("message", (question: Question) => void this.#answer(name, child, question));
  }

  async #answer(name: string, child: ChildProcess, question: Question): Promise<void> {
    if (question.about === "begins") this.#begun.get(name)?.resolve();
    await this.#ask(name, question);
    // Whoever has been killed meanwhile hears nothing, which is no fault.
    if (child.connected) child.send(question.number, () => undefined);
  }

  /** Kills a worker as the system does when memory is short, and starts another; false where that was done already. */
  async kill(name: string): Promise<boolean> {
    const child = this.#workers.get(name);
    if (child === undefined) return false;
    this.#workers.delete(name);
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
    this.start();
    return true;
  }

  /** Asks all to end, and tells how each of them did. */
  async stop(): Promise<readonly unknown[]> {
    const ends = [...this.#workers].map(async ([name, child]) => {
      // Before that it does not hear that it is asked to.
      await this.#begun.get(name)?.promise;
      this.#workers.delete(name);
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      const [code] = (await exited) as unknown[];
      return code;
    });
    return this.during(Promise.all(ends));
  }

  /** Ends whatever is left. */
  end(): void {
    for (const child of this.#workers.values()) child.kill("SIGKILL");
  }
}
