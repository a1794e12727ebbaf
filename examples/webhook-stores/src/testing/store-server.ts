import { spawn } from "node:child_process";
import type { ChildProcess, SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { access, constants, glob } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";

/** A server of this test's own: in a temporary folder, for this machine only. */
export interface StoreServer {
  /** Where `connect` finds it; the same after a restart. */
  readonly url: string;
  /** Starts it again, with what it had written down. */
  start(): Promise<void>;
  /** Ends the process and waits until it is gone. */
  stop(): Promise<void>;
  /** Ends it and deletes its folder. */
  remove(): Promise<void>;
}

/** The installed servers, by the paths where Debian has them. */
const places = {
  redis: ["/usr/bin/redis-server", "/usr/local/bin/redis-server"],
  postgres: ["/usr/lib/postgresql/*/bin/postgres"],
} as const;

/**
 * Looks for a server. Without one, tests that need it are left out and a line says so.
 *
 * @throws Error in CI, where tests must not be left out.
 */
export async function findServer(kind: keyof typeof places): Promise<string | undefined> {
  for await (const path of glob(places[kind])) {
    const usable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (usable) return path;
  }
  const advice = `There is no ${kind} at ${places[kind].join(" or ")}: install Debian's package`;
  if (process.env["CI"] !== undefined) throw new Error(`${advice}.`);
  process.stderr.write(`${advice}; tests on it are left out.\n`);
  return undefined;
}

/** A program that runs until it is stopped, and not for longer than this process. */
export class Daemon {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #kill = (): void => void this.#child.kill("SIGKILL");
  #said = "";

  constructor(command: string, args: readonly string[], options: SpawnOptions) {
    this.#child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    this.#exited = once(this.#child, "exit");
    this.#child.stdout?.on("data", (text) => (this.#said += String(text)));
    this.#child.stderr?.on("data", (text) => (this.#said += String(text)));
    process.once("exit", this.#kill);
  }

  get #over(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Resolves once `answers` no longer rejects. */
  async ready(answers: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await answers();
        return;
      } catch (cause) {
        if (this.#over) throw new Error(`The server did not start. ${this.#said}`, { cause });
        await setTimeout(20);
      }
    }
  }

  async stop(signal: "SIGINT" | "SIGTERM"): Promise<void> {
    if (!this.#over) {
      this.#child.kill(signal);
      await this.#exited;
    }
    process.off("exit", this.#kill);
  }
}
