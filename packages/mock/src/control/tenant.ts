import type { KeyRecord, DeliveryRecord, LedgerEntry } from "../store/records.ts";
import type { NewKey } from "../service/new-key.ts";
import type { Service } from "../service/service.ts";
import type { Store } from "../store/store.ts";
import { readNextJob, type NextJob } from "./next-job.ts";

/** What the first key of a tenant is to be; its account is always a new one. */
export type NewTenant = Omit<NewKey, "accountId">;

/** A key with a world of its own, so that test workers can share a server and never meet. Time is one for all. */
export interface Tenant {
  /** The token of its key. */
  readonly apiKey: string;
  readonly webhookSecret: string;
  readonly accountId: string;
  /** Makes another key of the same account. */
  createKey(key?: NewTenant): Promise<KeyRecord>;
  /** Every change of the balance of its key, oldest first, and the balance. */
  ledger(): Promise<{ entries: readonly LedgerEntry[]; balance: number }>;
  /** Deliveries of the jobs of its account, oldest first: of one job, or all. */
  deliveries(jobId?: string): Promise<readonly DeliveryRecord[]>;
  /** Says how the next job of its key ends. */
  nextJob(job: Omit<NextJob, "apiKey">): void;
}

/** Where a tenant finds the server as it is now. */
export type Server = () => { readonly service: Service; readonly store: Store };

/** Requests a minute of a tenant's key, as many as the default keys have. */
const rateLimitPerMinute = 6_000;

/** @throws as the making of a key does, and TypeError for an account that is not to be a new one. */
export async function createTenant(server: Server, wanted: NewTenant): Promise<Tenant> {
  if ("accountId" in wanted) {
    throw new TypeError(
      "accountId: a tenant has an account of its own; use createKey to share one.",
    );
  }
  const { service } = server();
  const accountId = await service.keys.openTenant();
  const key = await service.keys.create({ rateLimitPerMinute, ...wanted, accountId });
  const { token: apiKey, webhookSecret } = key;
  return {
    apiKey,
    webhookSecret,
    accountId,
    createKey: (another = {}) =>
      server().service.keys.create({ rateLimitPerMinute, ...another, accountId }),
    ledger: async () => {
      const ledger = await server().service.ledger(apiKey);
      if (ledger !== undefined) return ledger;
      throw new Error("The tenant has gone: the server was reset or put back. Make a new one.");
    },
    deliveries: async (jobId) =>
      server().store.transact((transaction) => {
        const own: DeliveryRecord[] = [];
        for (const delivery of transaction.deliveries(jobId)) {
          const job = transaction.job(delivery.jobId);
          const owner = job && transaction.key(job.keyId);
          if (owner?.accountId === accountId) own.push(delivery);
        }
        return own;
      }),
    nextJob: (job) => server().service.nextJobs.add(readNextJob({ ...job, apiKey })),
  };
}
