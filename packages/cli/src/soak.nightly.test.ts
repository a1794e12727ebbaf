import { join } from "node:path";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { node } from "@tryon/test-kit/repository";
import { soak, soakProbe, soakTimeout } from "@tryon/test-kit/soak";
import { startProgram } from "@tryon/test-kit/start-program";
import { TryOn } from "@tryon/client";
import { expect, test } from "vitest";

import { openReceiver, openShop } from "../test/cli.ts";
import { callTool, input } from "../test/mcp-session.ts";

const file = join(import.meta.dirname, "main.ts");

/** Opens a shop whose key has enough credits and requests. */
async function openRichShop() {
  const shop = await openShop();
  const { token } = await shop.mock.createKey({ credits: 1e9, rateLimitPerMinute: 1e6 });
  return { ...shop, environment: { ...shop.environment, TRYON_API_KEY: token } };
}

test("tryon mcp uses no more after many try-ons", { timeout: soakTimeout }, async () => {
  const { args, env, read } = soakProbe();
  const { environment, path } = await openRichShop();
  const transport = new StdioClientTransport({
    command: node,
    args: [...args, file, "mcp", "--max-credits", "900000000", "--state", path("state.json")],
    env: { ...environment, ...env, TRYON_POLL_INTERVAL: "100ms" },
  });
  const client = new Client({ name: "soak", version: "1" });
  await client.connect(transport);
  const rounds = await soak(
    async (variation) => {
      const { value } = await callTool(client, "submit", { ...input, variation });
      const ended = await callTool(client, "wait", { job_id: value["job_id"] });
      expect(ended.value).toMatchObject({ status: "succeeded" });
      expect((await callTool(client, "wait", { job_id: "job_unknown" })).error).toBeDefined();
    },
    () => read(transport.pid ?? 0),
    // It remembers each try-on, which a repeated call gets again.
    3_000,
  );
  expect(rounds).toBeGreaterThan(20);
  await client.close();
});

test("tryon listen uses no more after many events", { timeout: soakTimeout }, async () => {
  const { args, env, read } = soakProbe();
  const { environment, mock } = await openRichShop();
  const { target, bodies } = await openReceiver(500);
  const argv = ["listen", "--forward-to", target, "--interval", "50ms"];
  const program = startProgram(node, [...args, file, ...argv], {
    env: { ...process.env, ...environment, ...env },
  });
  await mock.journal.waitFor("GET /api/v1/tryon", { timeout: "60s" });
  const tryon = new TryOn({
    apiKey: environment.TRYON_API_KEY,
    baseUrl: environment.TRYON_BASE_URL,
  });
  let jobs = 0;
  const rounds = await soak(
    async () => {
      jobs += 1;
      await (await tryon.submit(input)).result();
      // The first event is sent twice, after a failure.
      await expect.poll(() => bodies.length, { timeout: 20_000 }).toBe(jobs + 1);
    },
    () => read(program.child.pid ?? 0),
  );
  expect(rounds).toBeGreaterThan(20);
  program.kill("SIGINT");
  expect((await program.ended).code).toBe(130);
});
