import type {
  AccountRecord,
  DeliveryRecord,
  IdempotencyRecord,
  JobRecord,
  JobStatus,
  KeyRecord,
  LedgerEntry,
  PurchaseRecord,
} from "./records.ts";

/** Which of the newest jobs of the whole server are meant. */
export interface LatestJobsQuery {
  readonly limit: number;
  readonly status?: JobStatus;
}

/** Which jobs a page of the list holds. */
export interface JobPageQuery {
  readonly keyId: string;
  readonly limit: number;
  /** The page begins with the job before this one. */
  readonly before?: JobRecord;
  readonly status?: JobStatus;
  /** Jobs created after this time are left out. */
  readonly createdUntil?: number;
}

/** Reads and writes of one atomic step. What was read stays true until the step ends. */
export interface Transaction {
  account(id: string): Promise<AccountRecord | undefined>;
  putAccount(account: AccountRecord): Promise<void>;

  key(id: string): Promise<KeyRecord | undefined>;
  keyByToken(token: string): Promise<KeyRecord | undefined>;
  keysOfAccount(accountId: string): Promise<readonly KeyRecord[]>;
  /** The newest keys of all accounts, newest first. */
  latestKeys(limit: number): Promise<readonly KeyRecord[]>;
  putKey(key: KeyRecord): Promise<void>;

  job(id: string): Promise<JobRecord | undefined>;
  /** Adds a job under the next number of the sequence. */
  addJob(job: Omit<JobRecord, "sequence">): Promise<JobRecord>;
  putJob(job: JobRecord): Promise<void>;
  removeJob(job: JobRecord): Promise<void>;
  /** Newest first. */
  jobs(query: JobPageQuery): Promise<readonly JobRecord[]>;
  /** The newest jobs of all keys, newest first. For whoever looks at the whole server, and for no caller. */
  latestJobs(query: LatestJobsQuery): Promise<readonly JobRecord[]>;
  /** How many jobs of all keys have each status. */
  jobCounts(): Promise<Readonly<Record<JobStatus, number>>>;

  idempotency(keyId: string, idempotencyKey: string): Promise<IdempotencyRecord | undefined>;
  putIdempotency(record: IdempotencyRecord): Promise<void>;
  removeIdempotency(record: IdempotencyRecord): Promise<void>;

  addLedgerEntry(entry: LedgerEntry): Promise<void>;
  /** Oldest first. */
  ledger(keyId: string): Promise<readonly LedgerEntry[]>;

  purchase(paymentIntentId: string): Promise<PurchaseRecord | undefined>;
  purchaseByToken(token: string): Promise<PurchaseRecord | undefined>;
  putPurchase(purchase: PurchaseRecord): Promise<void>;

  delivery(id: string): Promise<DeliveryRecord | undefined>;
  /** Oldest first. */
  deliveries(jobId?: string): Promise<readonly DeliveryRecord[]>;
  /** The newest deliveries of all jobs, newest first, and how many there are. */
  latestDeliveries(
    limit: number,
  ): Promise<{ readonly deliveries: readonly DeliveryRecord[]; readonly total: number }>;
  putDelivery(delivery: DeliveryRecord): Promise<void>;
}

/** Where the server keeps what it remembers. */
export interface Store {
  /**
   * Runs `work` as one atomic step: no other step sees a part of it, and when it throws, nothing of it has happened.
   * Steps run one after another, so `work` does nothing that waits for the world outside.
   */
  transact<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
}
