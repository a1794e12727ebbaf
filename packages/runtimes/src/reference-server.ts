import { join } from "node:path";

import { node } from "@tryon/test-kit/repository";
import { startProgram } from "@tryon/test-kit/start-program";

import type { Installation } from "./installation.ts";
import { controlToken as token } from "./programs/contract.ts";

/** Tenant with a separate key, account and rate limit. */
export interface Tenant {
  readonly apiKey: string;
  readonly webhookSecret: string;
}

/** The command `tryon-mock` of the packed package, in a separate process. */
export interface ReferenceServer {
  readonly url: string;
  tenant(mode: "live" | "test"): Promise<Tenant>;
  stop(): Promise<void>;
}

export async function startReferenceServer({ app }: Installation): Promise<ReferenceServer> {
  const command = join(app, "node_modules/.bin/tryon-mock");
  const argv = [command, "--port", "0", "--latency", "0"];
  const env = { ...process.env, TRYON_MOCK_TOKEN: token };
  const server = startProgram(node, argv, { env });
  const [, url = ""] = await server.waitFor(/listening on (\S+)$/m);
  return {
    url,
    async tenant(mode) {
      const response = await fetch(`${url}/__mock/tenants`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ mode }),
      });
      // docs/guides/control-api.md documents the response.
      const made = (await response.json()) as { api_key: string; webhook_secret: string };
      return { apiKey: made.api_key, webhookSecret: made.webhook_secret };
    },
    async stop() {
      await server.stop();
    },
  };
}
