import { describe, expect, onTestFinished, test } from "vitest";

import { command } from "../test/command.ts";
import { controls } from "../test/controls.ts";
import { loadCaller, together, type LoadCaller } from "../test/load-caller.ts";
import { journey, journeyRequests, wholeList, type JourneyJob } from "../test/load-journey.ts";
import { loadProcess } from "../test/load-process.ts";

const connections = 200;

/** A machine that is busy may take its time; nothing here is about how long it takes. */
const patience = 300_000;

function callerOf(url: string, key: string): LoadCaller {
  const caller = loadCaller(url, key, connections);
  onTestFinished(() => caller.close());
  return caller;
}

/** Lets customers come until so many have been served, as many at once as there are connections. */
async function served(caller: LoadCaller, journeys: number): Promise<readonly JourneyJob[]> {
  const jobs: JourneyJob[] = [];
  const before = caller.counts.sent;
  await together(journeys, connections, async (number) => {
    jobs.push(await journey(caller, number));
  });
  expect(caller.counts.sent - before).toBe(journeys * journeyRequests);
  expect(caller.counts.mostConnections).toBe(connections);
  return jobs;
}

/** Every job is there once, has ended, and was paid for once; gives what all of them cost. */
async function checkBooks(
  caller: LoadCaller,
  jobs: readonly JourneyJob[],
  creditsBefore: number,
): Promise<number> {
  const ids = jobs.map(({ jobId }) => jobId);
  expect(new Set(ids).size, "different jobs").toBe(jobs.length);
  const listed = await wholeList(caller);
  expect(listed, "the jobs of the list").toHaveLength(ids.length);
  expect(new Set(listed), "the jobs of the list").toEqual(new Set(ids));
  const cost = jobs.reduce((sum, job) => sum + job.cost, 0);
  const account = await caller.send("GET", "/api/v1/account");
  expect(account.body["credits_remaining"]).toBe(creditsBefore - cost);
  return cost;
}

describe("200 connections at once", () => {
  test(
    "with 20,000 requests: none is lost or wrong, and a reset gives the memory back",
    { timeout: patience },
    async () => {
      const server = loadProcess();
      const url = await server.url();
      const token = "svc_live_load";
      const round = async (journeys: number): Promise<number> => {
        await server.key(token);
        const caller = callerOf(url, token);
        const jobs = await served(caller, journeys);
        const cost = await checkBooks(caller, jobs, 1_000_000);
        const { entries, balance } = await server.ledger(token);
        expect(balance).toBe(1_000_000 - cost);
        expect(entries.reduce((sum, { credits }) => sum + credits, 0)).toBe(balance);
        const taken = entries.filter(({ cause }) => cause === "tryon");
        expect(taken).toHaveLength(jobs.length);
        expect(new Map(taken.map(({ jobId, credits }) => [jobId, -credits]))).toEqual(
          new Map(jobs.map(({ jobId, cost: price }) => [jobId, price])),
        );
        const account = await caller.send("GET", "/api/v1/account");
        // One request of each journey came with a key that there is not.
        expect(account.body["total_calls"]).toBe(caller.counts.sent - jobs.length);
        caller.close();
        await expect.poll(() => server.connections(), { interval: 20 }).toBe(0);
        await server.reset();
        return server.memory();
      };
      // The first round is not measured: it has code compiled, modules loaded, images drawn and tables grown to their
      // size, all of which stays for good and is no leak. The second begins and ends as the third does, but for its length.
      await round(1_200);
      const start = await round(100);
      const end = await round(2_000);
      expect(end / start, "memory after a reset, against that at the start").toBeGreaterThan(0.9);
      expect(end / start, "memory after a reset, against that at the start").toBeLessThan(1.1);
    },
  );

  test(
    "with 20,000 requests to the command: none is lost or wrong",
    { timeout: patience },
    async () => {
      const run = command("--port", "0", "--latency", "0", "--quiet");
      const url = await run.listening;
      const { post, get } = controls(fetch, url);
      const { body } = await post("tenants", {
        credits: 1_000_000,
        rate_limit_per_min: 1_000_000_000,
      });
      const key = String(body["api_key"]);
      const caller = callerOf(url, key);
      const jobs = await served(caller, 2_000);
      const cost = await checkBooks(caller, jobs, 1_000_000);
      const ledger = await get(`ledger?api_key=${key}`);
      expect(ledger.body).toMatchObject({ balance: 1_000_000 - cost });
      expect(ledger.body["entries"]).toHaveLength(jobs.length + 1);
      expect(run.stderr()).toBe("");
    },
  );
});
