import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { startScript } from "@tryon/test-kit/start-program";
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

/** Starts receivers in separate processes. */
export async function startReceivers(url: string, count: number): Promise<Receivers> {
  const folder = await mkdtemp(join(tmpdir(), "tryon-receivers-"));
  const start = async () => {
    const process = startScript(program, [url, secret, folder]);
    const [, address = ""] = await process.waitFor(/^listening (\S+)$/m);
    return { address, process };
  };
  const receivers = await Promise.all(Array.from({ length: count }, start));

  return {
    named: (word) => {
      const pattern = new RegExp(`^${word} (.*)$`, "gm");
      return receivers.flatMap(({ process }) =>
        [...process.output.stdout.matchAll(pattern)].map(([, job = ""]) => job),
      );
    },
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
      for (const { process } of receivers) await process.stop("SIGKILL");
      await rm(folder, { recursive: true });
    },
  };
}
