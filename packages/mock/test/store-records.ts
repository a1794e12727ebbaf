import type { Store } from "../src/store/store.ts";
import { Table } from "../src/store/table.ts";
import type { JobRecord, KeyRecord, UnfinishedJobRecord } from "../src/store/records.ts";

/** Returns the records of each table. */
export function contents(store: Store): readonly (readonly object[])[] {
  return store.transact((tables) =>
    Object.values(tables).flatMap((table) => (table instanceof Table ? [table.all()] : [])),
  );
}

/** A job as it is when it is added. */
export function job(id: string, fields: Partial<JobRecord> = {}): JobRecord {
  return {
    id,
    keyId: "key_1",
    status: "running",
    outputSize: "1K",
    costCredits: 8,
    testMode: false,
    seed: null,
    metadata: null,
    webhookUrl: null,
    origin: "https://a.example",
    createdAt: 0,
    completedAt: null,
    durationMs: null,
    errorCode: null,
    errorMessage: null,
    result: null,
    ...fields,
  };
}

export const key: KeyRecord = {
  id: "key_1",
  token: "svc_live_1",
  accountId: "acct_1",
  mode: "live",
  state: "active",
  name: null,
  webhookSecret: "whsec_1",
  credits: 0,
  rateLimitPerMinute: 60,
  totalCalls: 0,
  window: 0,
  windowCalls: 0,
  callTimes: [],
  day: 0,
  daySpent: 0,
  contentBlockedInARow: 0,
};

export const purchase = {
  paymentIntentId: "pi_1",
  keyId: "key_1",
  token: "spt_1",
  packSlug: "demo",
  status: "processing",
  creditsAdded: 0,
  nextAction: null,
};

export const idempotency = {
  id: "key_1 order-1",
  bodyDigest: "00",
  jobId: "job_1",
  expiresAt: 1,
  response: null,
};

export const delivery = {
  id: "dlv_1",
  jobId: "job_1",
  url: "https://a.example/hook",
  cause: "job",
  repeats: null,
  body: "{}",
  signature: "sha256=00",
  attempts: [],
  state: "pending",
} as const;

export const unfinished: UnfinishedJobRecord = {
  jobId: "job_1",
  durationMs: 1_500,
  startedAt: 1,
  ending: { status: "succeeded", errorCode: null, errorMessage: null },
  result: { bytes: Uint8Array.from([1, 2, 3]), length: 3, width: 768, height: 1_024 },
};
