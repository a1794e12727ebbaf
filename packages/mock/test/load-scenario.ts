import { expect } from "vitest";

import { tryOn } from "./caller.ts";
import type { LoadClient, LoadResponse } from "./load-client.ts";

const sizes = [
  { output_size: "1K", cost: 8 },
  { output_size: "2K", cost: 12 },
  { output_size: "4K", cost: 20 },
] as const;

/** Invalid bodies and their statuses. */
const invalidBodies: readonly (readonly [unknown, number])[] = [
  [tryOn({ seed: -1 }), 422],
  [tryOn({ garment_urls: [] }), 400],
  [tryOn({ person_url: "http://shop.example/me.jpg" }), 400],
  ["{", 422],
];

/** Job that a scenario has created. */
export interface ScenarioJob {
  readonly jobId: string;
  readonly cost: number;
}

/** Number of requests of a scenario. The last one has an unknown API key. */
export const scenarioRequests = 10;

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
  for (const response of repeats) checkSubmitted(response, { jobId, cost, metadata });
  expect(repeats.filter(isReplay), "replays").toHaveLength(1);

  const other = tryOn({ output_size, metadata, seed: 1 });
  const conflict = await client.send("POST", "/api/v1/tryon", { idempotencyKey, body: other });
  expect(conflict.status).toBe(409);

  const polled = await client.send("GET", `/api/v1/tryon/${jobId}`);
  expect(polled.status).toBe(200);
  expect(polled.body).toMatchObject({ job_id: jobId, cost_credits: cost, metadata });
  expect(["running", "succeeded"]).toContain(polled.body["status"]);

  const again = await submit();
  checkSubmitted(again, { jobId, cost, metadata });
  expect(isReplay(again)).toBe(true);

  await checkList(client);
  const account = await client.send("GET", "/api/v1/account");
  expect(account.status).toBe(200);
  expect(account.body["tryon_cost_credits"]).toEqual({ "1K": 8, "2K": 12, "4K": 20 });

  const [invalid, status] = invalidBodies[number % invalidBodies.length] ?? ["", 422];
  const rejected = await client.send("POST", "/api/v1/tryon", { body: invalid });
  expect(rejected.status).toBe(status);
  const missing = await client.send("GET", `/api/v1/tryon/job_${"0".repeat(24)}`);
  expect(missing.status).toBe(404);
  const unknownKey = await client.send("GET", `/api/v1/tryon/${jobId}`, { key: "svc_live_nobody" });
  expect(unknownKey.status).toBe(401);
  return { jobId, cost };
}

/** Waits until all jobs of a key have ended, and reads their ids page by page. */
export async function listAllJobs(client: LoadClient): Promise<readonly unknown[]> {
  const page = (query: string) => client.send("GET", `/api/v1/tryon?${query}`);
  await expect
    .poll(async () => jobsOf((await page("status_filter=running&limit=1")).body), { interval: 20 })
    .toEqual([]);
  const ids: unknown[] = [];
  for (let rest: string | undefined = ""; rest !== undefined;) {
    const { body } = await page(`status_filter=succeeded&limit=100${rest}`);
    ids.push(...jobsOf(body).map((job) => job["job_id"]));
    const cursor = body["next_cursor"];
    rest = typeof cursor === "string" ? `&cursor=${cursor}` : undefined;
  }
  return ids;
}

function checkSubmitted(
  response: LoadResponse,
  { jobId, cost, metadata }: { jobId: string; cost: number; metadata: object },
): void {
  expect(response.status).toBe(200);
  expect(response.body).toMatchObject({
    job_id: jobId,
    status: "running",
    cost_credits: cost,
    metadata,
    result_url: null,
  });
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

function isReplay({ headers }: LoadResponse): boolean {
  return headers["idempotent-replayed"] === "true";
}
