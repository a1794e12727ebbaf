import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";

import { onTestFinished } from "vitest";

const main = fileURLToPath(new URL("../cli/main.ts", import.meta.url));
const node = fileURLToPath(new URL("../../../../node_modules/node/bin/node", import.meta.url));

/** The command as a process of its own, and what it has printed so far. */
export interface Command {
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Resolves when it listens, with the address that it has printed. */
  readonly listening: Promise<string>;
  /** Resolves when it has ended. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Starts the command from its source; the test's end ends it. */
export function command(...argv: readonly string[]): Command {
  return commandWith({}, ...argv);
}

/** The same with variables in its environment. */
export function commandWith(
  environment: Readonly<Record<string, string>>,
  ...argv: readonly string[]
): Command {
  const child = spawn(node, ["--conditions=@tryon/source", main, ...argv], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      ...environment,
    },
  });
  const texts = { stdout: "", stderr: "" };
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
  const listening = new Promise<string>((resolve, reject) => {
    for (const stream of ["stdout", "stderr"] as const) {
      child[stream].setEncoding("utf8").on("data", (text: string) => {
        texts[stream] += text;
        const address = /^tryon-mock listening on (\S+)\n/m.exec(texts[stream])?.[1];
        if (address !== undefined) resolve(address);
      });
    }
    void ended.then(({ code }) => reject(new Error(`It ended with ${code}: ${texts.stderr}`)));
  });
  // Most tests wait for one of the two alone.
  listening.catch(() => undefined);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { child, stdout: () => texts.stdout, stderr: () => texts.stderr, listening, ended };
}
