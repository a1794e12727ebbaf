import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { startScript, type Program } from "@tryon/test-kit/start-program";
import { sign } from "@tryon/webhooks";

const secret = "whsec_test";
const program = join(import.meta.dirname, "receiver-process.ts");

/** Several receivers on one store. */
export interface Receivers {
  /** The jobs that were printed with a word: `handled`, `recorded`, `unrecorded` or `overlap`. */
  named(word: string): readonly string[];
  /**
   * Sends the event of a job to every receiver at once, and again until the response is 2xx. `refused` gets the status of
   * each other response, or 0 if there is none.
   */
  send(job: string, refused: (status: number) => unknown): Promise<void>;
  /** Kills a receiver with SIGKILL and starts another in its place. */
  replace(index: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts receivers in separate processes. */
export async function startReceivers(url: string, count: number): Promise<Receivers> {
  const folder = await mkdtemp(join(tmpdir(), "tryon-receivers-"));
  const all: Program[] = [];
  const start = async () => {
    const process = startScript(program, [url, secret, folder]);
    all.push(process);
    const [, address = ""] = await process.waitFor(/^listening (\S+)$/m);
    return { address, process };
  };
  const receivers = await Promise.all(Array.from({ length: count }, start));

  return {
    named: (word) => {
      const pattern = new RegExp(`^${word} (.*)$`, "gm");
      return all.flatMap(({ output }) =>
        [...output.stdout.matchAll(pattern)].map(([, job = ""]) => job),
      );
    },
    async send(job, refused) {
      const body = JSON.stringify({ event: "tryon.completed", job_id: job, status: "succeeded" });
      const headers = { "X-Service-Signature": await sign({ body, secret }) };
      const post = async (index: number): Promise<number> => {
        const address = receivers[index]?.address ?? "";
        const response = await fetch(address, { method: "POST", headers, body }).catch(() => null);
        return response?.status ?? 0;
      };
      const deliveries = receivers.map(async (_receiver, index) => {
        for (;;) {
          const status = await post(index);
          if (status >= 200 && status < 300) return;
          refused(status);
          await setTimeout(100);
        }
      });
      await Promise.all(deliveries);
    },
    async replace(index) {
      await receivers[index]?.process.stop("SIGKILL");
      receivers[index] = await start();
    },
    async stop() {
      for (const process of all) await process.stop("SIGKILL");
      await rm(folder, { recursive: true });
    },
  };
}
