import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";

import { sign } from "@tryon/webhooks";

const secret = "whsec_test";
const program = join(import.meta.dirname, "receiver-process.ts");

/** Several receivers on one store, and what they have said. */
export interface Receivers {
  /** The jobs that were named with a word: `handled`, `untold` or `overlap`. */
  named(word: string): readonly string[];
  /**
   * Sends the event of a job to every receiver at once, to each again until it answers 2xx; each
   * other status is told to `refused`.
   */
  send(job: string, refused: (status: number) => unknown): Promise<void>;
  stop(): Promise<void>;
}

/** Starts receivers in processes of their own. */
export async function startReceivers(url: string, count: number): Promise<Receivers> {
  const folder = await mkdtemp(join(tmpdir(), "tryon-receivers-"));
  const said: string[] = [];
  const start = async () => {
    const args = ["--conditions=@tryon/source", program, url, secret, folder];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    const kill = (): void => void child.kill("SIGKILL");
    process.once("exit", kill);
    const exited = once(child, "exit").then(() => process.off("exit", kill));
    const lines = createInterface({ input: child.stdout });
    let complaint = "";
    child.stderr.on("data", (text) => (complaint += String(text)));
    const firstLine = once(lines, "line");
    const line = await Promise.race([firstLine, exited.then(() => [])]);
    const address = /^listening (\S+)$/.exec(String(line[0]))?.[1];
    if (address === undefined) throw new Error(`A receiver did not start. ${complaint}`);
    lines.on("line", (text) => said.push(text));
    const stop = async (): Promise<void> => {
      kill();
      await exited;
    };
    return { address, stop };
  };
  const receivers = await Promise.all(Array.from({ length: count }, start));

  return {
    named: (word) =>
      said.flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : [])),
    async send(job, refused) {
      const body = JSON.stringify({ event: "tryon.completed", job_id: job, status: "succeeded" });
      const headers = { "X-Service-Signature": await sign({ body, secret }) };
      const all = receivers.map(async ({ address }) => {
        for (;;) {
          const { status } = await fetch(address, { method: "POST", headers, body });
          if (status < 300) return;
          refused(status);
          await setTimeout(100);
        }
      });
      await Promise.all(all);
    },
    async stop() {
      for (const receiver of receivers) await receiver.stop();
      await rm(folder, { recursive: true });
    },
  };
}
