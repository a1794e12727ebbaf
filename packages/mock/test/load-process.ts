import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { node } from "@tryon/test-kit/repository";
import { onTestFinished } from "vitest";

const program = fileURLToPath(new URL("load-server.ts", import.meta.url));

/** Serves a mock in its own process until the end of the test, to measure its memory. */
export async function loadProcess() {
  const child = fork(program, {
    execPath: node,
    // Node may discard unused bytecode between two measurements, which would hide a leak.
    execArgv: ["--conditions=@tryon/source", "--expose-gc", "--no-flush-bytecode"],
    env: { PATH: process.env["PATH"] },
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "close");
  });
  const receive = async (): Promise<unknown> => (await once(child, "message"))[0];
  const ask = async (question: "connections" | "memory"): Promise<number> => {
    const response = receive();
    child.send(question);
    return Number(await response);
  };
  return {
    url: String(await receive()),
    /** Counts the open connections. */
    connections: () => ask("connections"),
    /** Measures the used bytes after a garbage collection. */
    memory: () => ask("memory"),
  };
}
