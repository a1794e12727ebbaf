import { join } from "node:path";

import { isInstalled } from "@tryon/test-kit/installed-programs";
import { startRedis } from "@tryon/test-kit/store-servers";
import { startScript } from "@tryon/test-kit/start-program";
import { sign } from "@tryon/webhooks";
import { describe, expect, it } from "vitest";

const hasRedis = await isInstalled("redis");
const program = join(import.meta.dirname, "receiver.ts");
const secret = "whsec_test";

describe("the example", () => {
  it("names the variable to set without a store", async () => {
    const receiver = startScript(program, [], { env: { PATH: process.env["PATH"] } });
    await receiver.ended;
    expect(receiver.output.stderr).toContain(
      "Set STORE_URL to the URL of a Redis or PostgreSQL server or the path",
    );
  });

  it.runIf(hasRedis)("receives an event once, and stops on a signal", async () => {
    const server = await startRedis();
    const env = { STORE_URL: server.url, TRYON_WEBHOOK_SECRET: secret, PORT: "0" };
    const receiver = startScript(program, [], { env });
    try {
      const [, address = ""] = await receiver.waitFor(/^listening on (\S+)$/m);
      const body = '{"event":"tryon.completed","job_id":"job_1","status":"failed"}';
      const headers = {
        "X-Service-Signature": await sign({ body, secret }),
        connection: "close",
      };
      for (let time = 0; time < 2; time += 1) {
        const { status } = await fetch(address, { method: "POST", headers, body });
        expect(status).toBe(204);
      }
      expect(await receiver.stop()).toEqual({ code: 0, signal: null });
      expect(receiver.output.stdout.split("\n").slice(1)).toEqual(["job_1 failed", ""]);
    } finally {
      await receiver.stop("SIGKILL");
      await server.remove();
    }
  });
});
