import { spawn, type ChildProcess } from "node:child_process";

import { node } from "./repository.ts";

/** Exit code of a program, or the signal that ended it. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ProgramOptions {
  readonly cwd?: string;
  /** @default the environment of this process */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly uid?: number;
  readonly gid?: number;
  /** If true, the program leads a process group, and signals go to all of the group. */
  readonly detached?: boolean;
}

const running = new Set<Program>();
process.once("exit", () => {
  for (const program of running) program.kill("SIGKILL");
});

/** A child program and its output so far. It never outlives this process. */
export class Program {
  readonly child: ChildProcess;
  readonly output = { stdout: "", stderr: "" };
  /** Resolves when the program has ended and all its output is read. */
  readonly ended: Promise<Exit>;
  readonly #command: string;
  readonly #leadsGroup: boolean;
  readonly #listeners = new Set<() => void>();

  constructor(command: string, args: readonly string[], options: ProgramOptions) {
    this.#command = [command, ...args].join(" ");
    this.#leadsGroup = options.detached === true;
    this.child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    for (const name of ["stdout", "stderr"] as const) {
      this.child[name]?.setEncoding("utf8").on("data", (text: string) => {
        this.output[name] += text;
        for (const listen of this.#listeners) listen();
      });
    }
    running.add(this);
    this.ended = new Promise((resolve, reject) => {
      this.child.once("error", reject);
      this.child.once("close", (code, signal) => resolve({ code, signal }));
    });
    const forget = (): void => void running.delete(this);
    this.ended.then(forget, forget);
  }

  /** Standard output, followed by standard error. */
  get text(): string {
    return this.output.stdout + this.output.stderr;
  }

  /**
   * Waits until a complete line of the output matches.
   *
   * @throws Error with the output, if the program ends before.
   */
  async waitFor(pattern: RegExp): Promise<RegExpExecArray> {
    const { promise, resolve } = Promise.withResolvers<RegExpExecArray>();
    const search = (): void => {
      for (const text of Object.values(this.output)) {
        const match = pattern.exec(text.slice(0, text.lastIndexOf("\n") + 1));
        if (match !== null) resolve(match);
      }
    };
    this.#listeners.add(search);
    search();
    const early = this.ended.then(({ code }) => {
      throw new Error(
        `${this.#command} ended with ${code} before it printed ${pattern}:\n${this.text}`,
      );
    });
    try {
      return await Promise.race([promise, early]);
    } finally {
      this.#listeners.delete(search);
      early.catch(() => undefined);
    }
  }

  kill(signal: NodeJS.Signals): void {
    const { pid, exitCode, signalCode } = this.child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    if (this.#leadsGroup) process.kill(-pid, signal);
    else this.child.kill(signal);
  }

  /** Sends the signal, unless the program has ended, and waits for its end. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<Exit> {
    this.kill(signal);
    return this.ended;
  }
}

/** Starts a program without standard input. */
export function startProgram(
  command: string,
  args: readonly string[],
  options: ProgramOptions = {},
): Program {
  return new Program(command, args, options);
}

/** Starts a TypeScript file in the repository's Node, against the sources of the packages. */
export function startScript(
  file: string,
  args: readonly string[],
  options: ProgramOptions = {},
): Program {
  return startProgram(node, ["--conditions=@tryon/source", file, ...args], options);
}
