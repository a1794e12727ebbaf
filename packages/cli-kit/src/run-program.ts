import { spawn, type ChildProcess } from "node:child_process";
import { constants } from "node:os";

import { startOrphanGuard } from "./orphan-guard.ts";
import { processGroupOf } from "./process-group.ts";

const forwarded = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const notExecutable = 126;
const notFound = 127;

interface Server {
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/**
 * Runs a command beside a server, and stops the server when the command has ended. Signals go to the command.
 *
 * @param name - Name for messages, such as `tryon-mock`.
 * @param command - Program and arguments.
 * @returns the exit code of the command, or that of a shell for a command that fails to start or gets a signal.
 */
export async function runBesideServer(
  name: string,
  command: readonly string[],
  start: () => Promise<Server>,
): Promise<number> {
  const signals = listenForSignals();
  const server = await start();
  try {
    if (signals.first !== undefined) return signalExitCode(signals.first);
    return await runProgram(name, command, server.environment, signals);
  } finally {
    await server.stop();
  }
}

async function runProgram(
  name: string,
  [program = "", ...programArguments]: readonly string[],
  environment: Readonly<Record<string, string>>,
  signals: Signals,
): Promise<number> {
  const place = processGroupOf(process.platform, process.stdin.isTTY);
  const child = spawn(program, programArguments, {
    stdio: "inherit",
    env: { ...process.env, ...environment },
    detached: place.ownGroup,
    // npm and similar commands are scripts on Windows, which only a shell can run.
    shell: process.platform === "win32",
  });
  const ended = end(child, name, program);
  const { pid } = child;
  if (pid === undefined) return ended;
  const stopOrphanGuard = startOrphanGuard(place.target(pid));
  signals.forward = (signal) => place.forward(pid, signal);
  const code = await ended;
  await place.clear(pid);
  await stopOrphanGuard();
  return code;
}

function end(child: ChildProcess, name: string, program: string): Promise<number> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => {
      resolve(signal === null ? (code ?? 1) : signalExitCode(signal));
    });
    child.once("error", (error: NodeJS.ErrnoException) => {
      process.stderr.write(`${name}: ${spawnProblem(error, program)}\n`);
      resolve(error.code === "ENOENT" ? notFound : notExecutable);
    });
  });
}

function spawnProblem(error: NodeJS.ErrnoException, program: string): string {
  if (error.code === "ENOENT") {
    return `"${program}" does not exist; check its name and PATH.`;
  }
  if (error.code === "EACCES") {
    return `"${program}" is not executable; run chmod +x, or name the program that runs it.`;
  }
  return `"${program}" cannot start: ${error.message}.`;
}

function signalExitCode(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/** Signals to this process: the first one before the command starts, and all later ones. */
interface Signals {
  first?: NodeJS.Signals;
  forward: (signal: NodeJS.Signals) => unknown;
}

function listenForSignals(): Signals {
  const signals: Signals = { forward: (signal) => (signals.first ??= signal) };
  for (const signal of forwarded) process.on(signal, () => signals.forward(signal));
  return signals;
}
