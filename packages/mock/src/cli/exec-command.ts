import { spawn, type ChildProcess } from "node:child_process";
import { constants } from "node:os";

import type { ExecCommand } from "./arguments.ts";
import { placeOf } from "./process-place.ts";
import { clientEnvironment, startServer } from "./server.ts";
import { startOrphanGuard } from "./orphan-guard.ts";

const handedOn = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
type HandedOn = (typeof handedOn)[number];

const notExecutable = 126;
const notFound = 127;

/**
 * Runs a command beside a server of its own.
 *
 * @returns the exit code: the command's, or the one that a shell would give.
 */
export async function runExec(command: ExecCommand): Promise<number> {
  const signals = listenForSignals();
  const server = await startServer(command);
  try {
    if (signals.first !== undefined) return signalExitCode(signals.first);
    if (!command.quiet) process.stderr.write(`tryon-mock listening on ${server.url}\n`);
    return await runProgram(command, clientEnvironment(server, loopback(server.url)), signals);
  } finally {
    await server.stop();
  }
}

/** A server on all addresses of the machine is reached from the machine itself by loopback. */
function loopback(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}

async function runProgram(
  command: ExecCommand,
  environment: Readonly<Record<string, string>>,
  signals: Signals,
): Promise<number> {
  const place = placeOf(process.platform, process.stdin.isTTY);
  const child = spawn(command.program, command.programArguments, {
    stdio: "inherit",
    env: { ...process.env, ...environment },
    detached: place.ownGroup,
    // npm and its like are scripts there, which only a shell can run.
    shell: process.platform === "win32",
  });
  const ended = end(child, command.program);
  const { pid } = child;
  if (pid === undefined) return ended;
  const watchman = startOrphanGuard(place.target(pid), process.platform);
  signals.handOn((signal) => place.handOn(pid, signal));
  const code = await ended;
  await place.clear(pid);
  await watchman.dismiss();
  return code;
}

/** The exit code of a command that has ended, or that could not begin. */
function end(child: ChildProcess, program: string): Promise<number> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => {
      resolve(signal === null ? (code ?? 1) : signalExitCode(signal));
    });
    child.once("error", (error: NodeJS.ErrnoException) => {
      process.stderr.write(`tryon-mock: ${spawnProblem(error, program)}\n`);
      resolve(error.code === "ENOENT" ? notFound : notExecutable);
    });
  });
}

function spawnProblem(error: NodeJS.ErrnoException, program: string): string {
  if (error.code === "ENOENT") {
    return `There is no command "${program}"; check its name, and that PATH leads to it.`;
  }
  if (error.code === "EACCES") {
    return `"${program}" may not be run; give it the right to (chmod +x), or name the program that runs it.`;
  }
  return `"${program}" cannot be run: ${error.message}.`;
}

function signalExitCode(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/** The signals that reach this process: the first before there is a command, and from then on every one. */
interface Signals {
  readonly first: HandedOn | undefined;
  handOn(receive: (signal: HandedOn) => void): void;
}

function listenForSignals(): Signals {
  let first: HandedOn | undefined;
  let receive = (signal: HandedOn): void => {
    first ??= signal;
  };
  for (const signal of handedOn) process.on(signal, () => receive(signal));
  return {
    get first() {
      return first;
    },
    handOn(next) {
      receive = next;
    },
  };
}
