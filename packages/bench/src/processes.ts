import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A program that was started, and what it has printed so far. */
export interface Program {
  readonly child: ChildProcess;
  /** What it prints first that the pattern finds, by the pattern's first group. */
  printed(pattern: RegExp): Promise<string>;
  /**
   * Waits for its end.
   *
   * @returns everything that it printed.
   * @throws Error when it ends badly.
   */
  end(): Promise<string>;
  stop(): Promise<void>;
}

/** How long, in milliseconds, a program may take to end when it is told to. */
const endingGrace = 2_000;

/** Every process and folder that the benchmark has made, so that none outlives it. */
export class Processes {
  readonly #running = new Set<Program>();
  readonly #folders: string[] = [];
  #stopped = false;

  /** Starts a program of Node's, in the benchmark's own Node. */
  node(args: readonly string[]): Program {
    return this.start(process.execPath, args);
  }

  /** @throws Error when all has been stopped. */
  start(command: string, args: readonly string[]): Program {
    if (this.#stopped) throw new Error("The benchmark is over; nothing is started any more.");
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    let [output, errors] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    ended
      .catch(() => undefined)
      .finally(() => this.#running.delete(program))
      .catch(() => undefined);
    const program: Program = {
      child,
      printed: (pattern) =>
        new Promise((resolve, reject) => {
          const look = (): void => {
            const found = pattern.exec(output)?.[1];
            if (found !== undefined) resolve(found);
          };
          child.stdout.on("data", look);
          ended.then(() => reject(failure(command, errors)), reject);
          look();
        }),
      end: async () => {
        if ((await ended) !== 0) throw failure(command, errors);
        return output;
      },
      stop: async () => {
        child.kill();
        const patience = setTimeout(() => child.kill("SIGKILL"), endingGrace);
        await ended.catch(() => undefined);
        clearTimeout(patience);
      },
    };
    this.#running.add(program);
    return program;
  }

  /** Makes a folder outside the workspace, which is removed at the end. */
  async folder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "tryon-bench-"));
    this.#folders.push(folder);
    return folder;
  }

  /** Ends all that still run, by their ids, and removes what they leave. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#running].map((program) => program.stop()));
    const folders = this.#folders.splice(0);
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  }

  get stopped(): boolean {
    return this.#stopped;
  }
}

function failure(command: string, errors: string): Error {
  return new Error(`${command} ended before it had done its work: ${errors.trim().slice(-2_000)}`);
}
