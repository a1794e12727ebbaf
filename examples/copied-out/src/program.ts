import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

/** A program that runs, and what it has written so far. */
export class Program {
  readonly #child: ChildProcess;
  readonly #listeners = new Set<() => void>();
  #written = "";

  /** Its exit code, once it and everything that it wrote is over. */
  readonly ended: Promise<number>;

  constructor(child: ChildProcess) {
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#written += text;
        for (const listen of this.#listeners) listen();
      });
    }
    this.ended = once(child, "close").then(([code]) => (typeof code === "number" ? code : 1));
  }

  get written(): string {
    return this.#written;
  }

  /**
   * Waits until it has written something, and gives what was found.
   *
   * @throws Error with all that it wrote, when it ends before.
   */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    const { promise, resolve } = Promise.withResolvers<RegExpExecArray>();
    const listen = (): void => {
      const found = pattern.exec(this.#written);
      if (found !== null) resolve(found);
    };
    this.#listeners.add(listen);
    listen();
    const early = this.ended.then((code) => {
      throw new Error(`It ended with ${code} before it wrote ${pattern}:\n${this.#written}`);
    });
    try {
      return await Promise.race([promise, early]);
    } finally {
      this.#listeners.delete(listen);
      early.catch(() => undefined);
    }
  }

  /** Ends it, with what it has started. */
  async end(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    // Its group, which it leads.
    process.kill(-pid, "SIGTERM");
    await this.ended;
  }
}
