import { cases } from "@tryon/test-kit/cases";
import { describe, expect, onTestFinished, test } from "vitest";

import { controlToken } from "../test/control-token.ts";
import { command } from "../test/command.ts";
import { loadClient, runConcurrently } from "../test/load-client.ts";
import { loadProcess } from "../test/load-process.ts";
import {
  ledgerOf,
  listAllJobs,
  runScenario,
  scenarioRequests,
  type ScenarioJob,
} from "../test/load-scenario.ts";

const connections = 200;
const credits = 1_000_000;

/** Long enough for a busy machine, because no test here measures time. */
const timeout = 300_000;

function clientOf(url: string, key: string, maxConnections: number) {
  const client = loadClient(url, key, maxConnections);
  onTestFinished(() => client.close());
  return client;
}

/** Runs scenarios under a new key, and checks that each job exists once and was charged once. */
async function runScenarios(url: string, scenarios: number): Promise<void> {
  const control = clientOf(url, controlToken, 1);
  const tenant = { credits, rate_limit_per_min: 1_000_000_000 };
  const { body: created } = await control.send("POST", "/__mock/tenants", { body: tenant });
  const key = String(created["api_key"]);
  const client = clientOf(url, key, connections);
  const jobs: ScenarioJob[] = [];
  await runConcurrently(scenarios, connections, async (number) => {
    jobs.push(await runScenario(client, number));
  });
  expect(client.counts.sent).toBe(scenarios * scenarioRequests);
  expect(client.counts.maxConnections).toBe(connections);

  const costs = new Map(jobs.map(({ jobId, cost }) => [jobId, cost]));
  expect(costs.size, "unique jobs").toBe(jobs.length);
  const listed = await listAllJobs(client, "succeeded");
  expect(listed, "listed jobs").toHaveLength(jobs.length);
  expect(new Set(listed), "listed jobs").toEqual(new Set(costs.keys()));
  const cost = jobs.reduce((sum, job) => sum + job.cost, 0);
  const account = await client.send("GET", "/api/v1/account");
  expect(account.body).toMatchObject({
    credits_remaining: credits - cost,
    total_calls: client.counts.sent,
  });
  const ledger = await ledgerOf(control, key);
  expect(ledger.balance).toBe(credits - cost);
  expect(ledger.byCause("tryon")).toHaveLength(jobs.length);
  expect(ledger.entries).toHaveLength(jobs.length + 1);
  expect(ledger.costs).toEqual(costs);
  client.close();
  control.close();
}

describe("many requests over 200 connections", () => {
  test("get correct responses, and a reset frees the memory", { timeout }, async () => {
    const server = await loadProcess();
    const round = async (scenarios: number): Promise<number> => {
      await runScenarios(server.url, scenarios);
      const control = clientOf(server.url, controlToken, 1);
      await control.send("POST", "/__mock/reset");
      control.close();
      await expect.poll(() => server.connections(), { interval: 20 }).toBe(0);
      return server.memory();
    };
    // Before the first measurement, code is compiled, modules are loaded and tables have grown.
    await round(1_200);
    const start = await round(100);
    const end = await round(2_000);
    expect(end / start, "memory after a reset, relative to the start").toBeGreaterThan(0.9);
    expect(end / start, "memory after a reset, relative to the start").toBeLessThan(1.1);
  });

  test("get correct responses from the command", { timeout }, async () => {
    const run = command("--port", "0", "--latency", "0", "--quiet");
    await runScenarios(await run.listening, cases(2_000, 5));
    expect(run.stderr()).toBe("");
  });
});
