import { OptionsError } from "@tryon/shared/options";

import type { NewKey } from "../service/new-key.ts";
import type { Service } from "../service/service.ts";
import type { DeliveryRecord, KeyRecord, LedgerEntry } from "../store/records.ts";
import type { Store } from "../store/store.ts";
import { parseNextJob, type NextJob } from "./next-job.ts";

/** Options of the first key of a tenant, which always gets a new account. */
export type NewTenant = Omit<NewKey, "accountId">;

/** A key with separate data, so that tests in parallel can share a server. All tenants share the clock. */
export interface Tenant {
  /** Token of its key. */
  readonly apiKey: string;
  /** Secret that signs the webhooks of its key. */
  readonly webhookSecret: string;
  /** Account of its keys, such as `acct_…`. */
  readonly accountId: string;
  /** Creates another key of the same account. */
  createKey(key?: NewTenant): Promise<KeyRecord>;
  /** Returns every change of the balance of its key, oldest first, and the balance. */
  ledger(): Promise<{
    /** Changes of the balance, oldest first. */
    entries: readonly LedgerEntry[];
    /** Current balance in credits. */
    balance: number;
  }>;
  /** Returns deliveries for the jobs of its account, oldest first: of one job, or all. */
  deliveries(jobId?: string): Promise<readonly DeliveryRecord[]>;
  /** Sets the outcome of the next job of its key. */
  nextJob(job: Omit<NextJob, "apiKey">): void;
}

export type Server = () => { readonly service: Service; readonly store: Store };

const rateLimitPerMinute = 6_000;

export async function createTenant(server: Server, options: NewTenant): Promise<Tenant> {
  if ("accountId" in options) {
    const hint = "Use createKey to share an account.";
    throw new OptionsError("accountId", "is not an option of a tenant, which gets a new one", hint);
  }
  const accountId = server().service.keys.openTenant();
  const createKey = async (key: NewTenant = {}): Promise<KeyRecord> =>
    server().service.keys.create({ rateLimitPerMinute, ...key, accountId });
  const { token: apiKey, webhookSecret } = await createKey(options);
  return {
    apiKey,
    webhookSecret,
    accountId,
    createKey,
    ledger: async () => {
      const ledger = server().service.ledger(apiKey);
      if (ledger !== undefined) return ledger;
      throw new Error("The tenant does not exist after a reset or restore; create a new one.");
    },
    deliveries: async (jobId) =>
      server().store.transact(({ deliveries, jobs, keys }) =>
        deliveries.all(jobId).filter((delivery) => {
          const job = jobs.get(delivery.jobId);
          return job && keys.get(job.keyId)?.accountId === accountId;
        }),
      ),
    nextJob: (job) => server().service.nextJobs.add(parseNextJob({ ...job, apiKey })),
  };
}
