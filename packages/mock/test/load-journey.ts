import { expect } from "vitest";

import { tryOn } from "./caller.ts";
import type { LoadAnswer, LoadCaller } from "./load-caller.ts";

const sizes = [
  { output_size: "1K", cost: 8 },
  { output_size: "2K", cost: 12 },
  { output_size: "4K", cost: 20 },
] as const;

/** Bodies that are refused, and with what. */
const bad: readonly (readonly [unknown, number])[] = [
  [tryOn({ seed: -1 }), 422],
  [tryOn({ garment_urls: [] }), 400],
  [tryOn({ person_url: "http://shop.example/me.jpg" }), 400],
  ["{", 422],
];

/** A job that a journey has made. */
export interface JourneyJob {
  readonly jobId: string;
  readonly cost: number;
}

/** How many requests a journey has; the last is sent with a key that there is not. */
export const journeyRequests = 10;

/** What one customer does, every answer held against what it has to be; nobody else's doings may show in them. */
export async function journey(caller: LoadCaller, number: number): Promise<JourneyJob> {
  const { output_size, cost } = sizes[number % 3] ?? sizes[0];
  const idempotencyKey = `journey-${number}`;
  const metadata = { journey: number };
  const body = tryOn({ output_size, metadata });
  const submit = () => caller.send("POST", "/api/v1/tryon", { idempotencyKey, body });

  const twins = await Promise.all([submit(), submit()]);
  const jobId = String(twins[0].body["job_id"]);
  expect(jobId).toMatch(/^job_[0-9A-Za-z]{24}$/);
  for (const twin of twins) checkSubmitted(twin, { jobId, cost, metadata });
  expect(twins.filter(isReplay), "replays among twins").toHaveLength(1);

  const other = tryOn({ output_size, metadata, seed: 1 });
  const conflict = await caller.send("POST", "/api/v1/tryon", { idempotencyKey, body: other });
  expect(conflict.status).toBe(409);

  const polled = await caller.send("GET", `/api/v1/tryon/${jobId}`);
  expect(polled.status).toBe(200);
  expect(polled.body).toMatchObject({ job_id: jobId, cost_credits: cost, metadata });
  expect(["running", "succeeded"]).toContain(polled.body["status"]);

  const again = await submit();
  checkSubmitted(again, { jobId, cost, metadata });
  expect(isReplay(again)).toBe(true);

  await checkList(caller);
  const account = await caller.send("GET", "/api/v1/account");
  expect(account.status).toBe(200);
  expect(account.body["tryon_cost_credits"]).toEqual({ "1K": 8, "2K": 12, "4K": 20 });

  const [wrong, status] = bad[number % bad.length] ?? ["", 422];
  const refused = await caller.send("POST", "/api/v1/tryon", { body: wrong });
  expect(refused.status).toBe(status);
  const missing = await caller.send("GET", `/api/v1/tryon/job_${"0".repeat(24)}`);
  expect(missing.status).toBe(404);
  const stranger = await caller.send("GET", `/api/v1/tryon/${jobId}`, { key: "svc_live_nobody" });
  expect(stranger.status).toBe(401);
  return { jobId, cost };
}

/** Every job of a key by the pages of its list, once all of them have ended. */
export async function wholeList(caller: LoadCaller): Promise<readonly unknown[]> {
  const page = (query: string) => caller.send("GET", `/api/v1/tryon?${query}`);
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
  answer: LoadAnswer,
  { jobId, cost, metadata }: { jobId: string; cost: number; metadata: object },
): void {
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({
    job_id: jobId,
    status: "running",
    cost_credits: cost,
    metadata,
    result_url: null,
  });
}

async function checkList(caller: LoadCaller): Promise<void> {
  const { status, body } = await caller.send("GET", "/api/v1/tryon?limit=5");
  expect(status).toBe(200);
  const ids = jobsOf(body).map((job) => job["job_id"]);
  expect(ids.length).toBeGreaterThan(0);
  expect(new Set(ids).size, "different jobs of a page").toBe(ids.length);
  expect([null, ids.at(-1)]).toContain(body["next_cursor"]);
}

function jobsOf(body: LoadAnswer["body"]): readonly Readonly<Record<string, unknown>>[] {
  // The contract's answer to a list has jobs.
  return body["jobs"] as readonly Readonly<Record<string, unknown>>[];
}

function isReplay({ headers }: LoadAnswer): boolean {
  return headers["idempotent-replayed"] === "true";
}
