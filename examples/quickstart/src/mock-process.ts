import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A reference server in a process of its own. */
export interface MockProcess {
  readonly baseUrl: string;
  /** Ends the process and waits until it is gone. */
  stop(): Promise<void>;
}

/** Starts the command `tryon-mock` on a free port, with the engine that shows callers their own pictures. */
export async function startMock(): Promise<MockProcess> {
  const command = fileURLToPath(import.meta.resolve("@tryon/mock/cli"));
  const child = spawn(
    process.execPath,
    [...process.execArgv, command, "--port", "0", "--engine", "composite", "--quiet"],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  // However this program ends, unless it is killed outright, the server ends with it.
  const end = (): void => void child.kill();
  process.once("exit", end);
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaint += text));
  const exited = once(child, "exit");
  const firstLine = once(createInterface({ input: child.stdout }), "line") as Promise<[string]>;
  const line = await Promise.race([firstLine.then(([text]) => text), exited.then(() => undefined)]);
  const baseUrl = line?.match(/listening on (\S+)$/)?.[1];
  if (baseUrl === undefined) {
    child.kill();
    throw new Error(`The reference server did not start. ${complaint.trim()}`);
  }
  return {
    baseUrl,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGTERM");
        await exited;
      }
      process.off("exit", end);
    },
  };
}
