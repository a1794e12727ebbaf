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

/** Query for the newest jobs of all keys. */
export interface LatestJobsQuery {
  readonly limit: number;
  readonly status?: JobStatus;
}

/** Query for one page of the jobs of a key. */
export interface JobPageQuery {
  readonly keyId: string;
  readonly limit: number;
  /** Job that precedes the page in the list. */
  readonly before?: JobRecord;
  readonly status?: JobStatus;
  /** Maximum time of creation. */
  readonly createdUntil?: number;
}

/** Reads and writes of one atomic step. */
export interface Transaction {
  account(id: string): AccountRecord | undefined;
  putAccount(account: AccountRecord): void;

  key(id: string): KeyRecord | undefined;
  keyByToken(token: string): KeyRecord | undefined;
  keysOfAccount(accountId: string): readonly KeyRecord[];
  /** Newest keys of all accounts, newest first. */
  latestKeys(limit: number): readonly KeyRecord[];
  putKey(key: KeyRecord): void;

  job(id: string): JobRecord | undefined;
  /** Adds a job under the next number of the sequence. */
  addJob(job: Omit<JobRecord, "sequence">): JobRecord;
  putJob(job: JobRecord): void;
  removeJob(job: JobRecord): void;
  /** Newest first. */
  jobs(query: JobPageQuery): readonly JobRecord[];
  /** Newest jobs of all keys, newest first. */
  latestJobs(query: LatestJobsQuery): readonly JobRecord[];
  /** Number of jobs of all keys by status. */
  jobCounts(): Readonly<Record<JobStatus, number>>;

  idempotency(keyId: string, idempotencyKey: string): IdempotencyRecord | undefined;
  putIdempotency(record: IdempotencyRecord): void;
  removeIdempotency(record: IdempotencyRecord): void;

  addLedgerEntry(entry: LedgerEntry): void;
  /** Oldest first. */
  ledger(keyId: string): readonly LedgerEntry[];

  purchase(paymentIntentId: string): PurchaseRecord | undefined;
  purchaseByToken(token: string): PurchaseRecord | undefined;
  putPurchase(purchase: PurchaseRecord): void;

  delivery(id: string): DeliveryRecord | undefined;
  /** Oldest first. */
  deliveries(jobId?: string): readonly DeliveryRecord[];
  /** Newest deliveries of all jobs, newest first, and the number of all deliveries. */
  latestDeliveries(limit: number): {
    readonly deliveries: readonly DeliveryRecord[];
    readonly total: number;
  };
  putDelivery(delivery: DeliveryRecord): void;
}

/** Storage of the server. */
export interface Store {
  /** Runs `work` as one atomic step. If it throws, all of its writes are undone. Steps cannot be nested. */
  transact<Result>(work: (transaction: Transaction) => Result): Result;
}

/** Reads a key that must exist. */
export function getKey(transaction: Transaction, keyId: string): KeyRecord {
  const key = transaction.key(keyId);
  if (key === undefined) throw new Error(`The key ${keyId} is missing from the store.`);
  return key;
}
