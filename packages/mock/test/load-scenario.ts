import { expect } from "vitest";

import { tryOn } from "./caller.ts";
import { controlToken } from "./control-token.ts";
import type { LoadClient, LoadResponse } from "./load-client.ts";

const sizes = [
  { output_size: "1K", cost: 8 },
  { output_size: "2K", cost: 12 },
  { output_size: "4K", cost: 20 },
] as const;

/** Job that a scenario has created. */
export interface ScenarioJob {
  readonly jobId: string;
  readonly cost: number;
}

/** Number of requests of a scenario. */
export const scenarioRequests = 4;

/** Runs one customer's requests and checks each response, which other customers must not affect. */
export async function runScenario(client: LoadClient, number: number): Promise<ScenarioJob> {
  const { output_size, cost } = sizes[number % 3] ?? sizes[0];
  const idempotencyKey = `scenario-${number}`;
  const metadata = { scenario: number };
  const body = tryOn({ output_size, metadata });
  const submit = () => client.send("POST", "/api/v1/tryon", { idempotencyKey, body });

  const repeats = await Promise.all([submit(), submit()]);
  const jobId = String(repeats[0].body["job_id"]);
  expect(jobId).toMatch(/^job_[0-9A-Za-z]{24}$/);
  for (const { status, body: submitted } of repeats) {
    expect(status).toBe(200);
    expect(submitted).toMatchObject({ job_id: jobId, cost_credits: cost, metadata });
  }
  const replays = repeats.filter(({ headers }) => headers["idempotent-replayed"] === "true");
  expect(replays).toHaveLength(1);

  const polled = await client.send("GET", `/api/v1/tryon/${jobId}`);
  expect(polled.status).toBe(200);
  expect(polled.body).toMatchObject({ job_id: jobId, cost_credits: cost, metadata });
  expect(["running", "succeeded"]).toContain(polled.body["status"]);
  await checkList(client);
  return { jobId, cost };
}

/** Waits until all jobs of a key have ended, and reads the ids of those with a status page by page. */
export async function listAllJobs(
  client: LoadClient,
  status: "succeeded" | "failed",
): Promise<readonly string[]> {
  const page = (query: string) => client.send("GET", `/api/v1/tryon?${query}`);
  await expect
    .poll(async () => jobsOf((await page("status_filter=running&limit=1")).body), { interval: 20 })
    .toEqual([]);
  const ids: string[] = [];
  for (let rest: string | undefined = ""; rest !== undefined;) {
    const { body } = await page(`status_filter=${status}&limit=100${rest}`);
    ids.push(...jobsOf(body).map((job) => String(job["job_id"])));
    const cursor = body["next_cursor"];
    rest = typeof cursor === "string" ? `&cursor=${cursor}` : undefined;
  }
  return ids;
}

export async function ledgerOf(client: LoadClient, key: string) {
  const path = `/__mock/ledger?api_key=${key}`;
  const { body } = await client.send("GET", path, { key: controlToken });
  // The ledger of the control API.
  const { balance, entries } = body as {
    balance: number;
    entries: { credits: number; cause: string; job_id?: string }[];
  };
  const byCause = (cause: string) => entries.filter((entry) => entry.cause === cause);
  const costs = new Map(byCause("tryon").map((entry) => [entry.job_id, -entry.credits]));
  return { balance, entries, byCause, costs };
}

async function checkList(client: LoadClient): Promise<void> {
  const { status, body } = await client.send("GET", "/api/v1/tryon?limit=5");
  expect(status).toBe(200);
  const ids = jobsOf(body).map((job) => job["job_id"]);
  expect(ids.length).toBeGreaterThan(0);
  expect(new Set(ids).size, "unique jobs of a page").toBe(ids.length);
  expect([null, ids.at(-1)]).toContain(body["next_cursor"]);
}

function jobsOf(body: LoadResponse["body"]): readonly Readonly<Record<string, unknown>>[] {
  // The response to a list always has jobs.
  return body["jobs"] as readonly Readonly<Record<string, unknown>>[];
}
