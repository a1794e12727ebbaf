import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { isInstalled } from "@tryon/test-kit/installed-programs";
import { startRedis } from "@tryon/test-kit/store-servers";
import { sign } from "@tryon/webhooks";
import { describe, expect, it } from "vitest";

const hasRedis = await isInstalled("redis");
const command = ["--conditions=@tryon/source", join(import.meta.dirname, "receiver.ts")];
const secret = "whsec_test";

describe("the example", () => {
  it("says what to set when it is told of no store", async () => {
    const env = { PATH: process.env["PATH"] };
    const complaint = await new Promise((resolve) => {
      execFile(process.execPath, command, { env }, (_error, _stdout, stderr) => resolve(stderr));
    });
    expect(complaint).toContain("Set STORE_URL to the address of a Redis or a PostgreSQL");
  });

  it.runIf(hasRedis)("receives an event once, and stops when it is told to", async () => {
    const server = await startRedis();
    const env = { STORE_URL: server.url, TRYON_WEBHOOK_SECRET: secret, PORT: "0" };
    const child = spawn(process.execPath, command, { env, stdio: ["ignore", "pipe", "inherit"] });
    const exited = once(child, "exit");
    try {
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const first = await lines.next();
      const address = String(first.value).replace("listening on ", "");
      const body = '{"event":"tryon.completed","job_id":"job_1","status":"failed"}';
      const headers = {
        "X-Service-Signature": await sign({ body, secret }),
        connection: "close",
      };
      for (let time = 0; time < 2; time += 1) {
        const { status } = await fetch(address, { method: "POST", headers, body });
        expect(status).toBe(204);
      }
      child.kill("SIGTERM");
      expect(await exited).toEqual([0, null]);
      expect(await lines.next()).toMatchObject({ value: "job_1 failed" });
      expect(await lines.next()).toMatchObject({ done: true });
    } finally {
      child.kill("SIGKILL");
      await server.remove();
    }
  });
});
