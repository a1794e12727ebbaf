import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

import type { Installation } from "./installation.ts";
import { node } from "@tryon/test-kit/repository";

/** What a key of its own makes of a caller, with an account and a rate limit that nobody else uses. */
export interface Tenant {
  readonly apiKey: string;
  readonly webhookSecret: string;
}

/** The command `tryon-mock` of the packed package, in a process of its own. */
export interface ReferenceServer {
  readonly url: string;
  tenant(mode: "live" | "test"): Promise<Tenant>;
  stop(): Promise<void>;
}

export async function startReferenceServer({ app }: Installation): Promise<ReferenceServer> {
  const command = join(app, "node_modules/.bin/tryon-mock");
  const argv = [command, "--port", "0", "--latency", "0"];
  const server = spawn(node, argv, { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: server.stdout });
  // The first line is a text, as every line is.
  const [line] = (await once(lines, "line")) as [string];
  const url = line.split(" ").at(-1) ?? "";
  return {
    url,
    async tenant(mode) {
      const response = await fetch(`${url}/__mock/tenants`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ mode }),
      });
      // The answer is the one that docs/control.md tells.
      const made = (await response.json()) as { api_key: string; webhook_secret: string };
      return { apiKey: made.api_key, webhookSecret: made.webhook_secret };
    },
    async stop() {
      const gone = once(server, "exit");
      server.kill("SIGTERM");
      await gone;
    },
  };
}
