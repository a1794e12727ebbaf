import { everyKey, JobLists } from "./job-lists.ts";
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
import type { JobPageQuery, LatestJobsQuery, Transaction } from "./store.ts";

/** Tables of a {@link MemoryStore}. Each write adds an entry to the undo log until the step is committed. */
export class MemoryTables implements Transaction {
  #accounts = new Map<string, AccountRecord>();
  #keys = new Map<string, KeyRecord>();
  #keyIdByToken = new Map<string, string>();
  #jobs = new Map<string, JobRecord>();
  #jobLists = new JobLists();
  #sequence = 0;
  #idempotency = new Map<string, IdempotencyRecord>();
  #ledger = new Map<string, LedgerEntry[]>();
  #purchases = new Map<string, PurchaseRecord>();
  #purchaseIdByToken = new Map<string, string>();
  #deliveries = new Map<string, DeliveryRecord>();
  #deliveryIdsByJob = new Map<string, string[]>();
  #undo: (() => void)[] = [];

  /** Copies the tables between two steps. Both share the immutable records. */
  copy(): MemoryTables {
    const copy = new MemoryTables();
    copy.#accounts = new Map(this.#accounts);
    copy.#keys = new Map(this.#keys);
    copy.#keyIdByToken = new Map(this.#keyIdByToken);
    copy.#jobs = new Map(this.#jobs);
    copy.#jobLists = this.#jobLists.copy();
    copy.#sequence = this.#sequence;
    copy.#idempotency = new Map(this.#idempotency);
    copy.#ledger = copyRows(this.#ledger);
    copy.#purchases = new Map(this.#purchases);
    copy.#purchaseIdByToken = new Map(this.#purchaseIdByToken);
    copy.#deliveries = new Map(this.#deliveries);
    copy.#deliveryIdsByJob = copyRows(this.#deliveryIdsByJob);
    return copy;
  }

  undo(): void {
    for (let undo = this.#undo.pop(); undo !== undefined; undo = this.#undo.pop()) undo();
  }

  commit(): void {
    this.#undo.length = 0;
  }

  account(id: string): AccountRecord | undefined {
    return this.#accounts.get(id);
  }

  putAccount(account: AccountRecord): void {
    this.#set(this.#accounts, account.id, account);
  }

  key(id: string): KeyRecord | undefined {
    return this.#keys.get(id);
  }

  keyByToken(token: string): KeyRecord | undefined {
    const id = this.#keyIdByToken.get(token);
    return id === undefined ? undefined : this.#keys.get(id);
  }

  keysOfAccount(accountId: string): readonly KeyRecord[] {
    return [...this.#keys.values()].filter((key) => key.accountId === accountId);
  }

  latestKeys(limit: number): readonly KeyRecord[] {
    return newest([...this.#keys.values()], limit);
  }

  putKey(key: KeyRecord): void {
    this.#set(this.#keys, key.id, key);
    this.#set(this.#keyIdByToken, key.token, key.id);
  }

  job(id: string): JobRecord | undefined {
    return this.#jobs.get(id);
  }

  addJob(job: Omit<JobRecord, "sequence">): JobRecord {
    // Like the sequence of a database, the number is not reused after a rollback.
    this.#sequence += 1;
    const added = { ...job, sequence: this.#sequence };
    this.#changeJob(undefined, added);
    return added;
  }

  putJob(job: JobRecord): void {
    this.#changeJob(this.#jobs.get(job.id), job);
  }

  removeJob(job: JobRecord): void {
    this.#changeJob(this.#jobs.get(job.id), undefined);
  }

  jobs({ keyId, limit, status, before, createdUntil }: JobPageQuery): readonly JobRecord[] {
    const page: JobRecord[] = [];
    for (const id of this.#jobLists.newestFirst(keyId, { status, before: before?.sequence })) {
      if (page.length === limit) break;
      const job = this.#jobs.get(id);
      if (job !== undefined && job.createdAt <= (createdUntil ?? job.createdAt)) page.push(job);
    }
    return page;
  }

  latestJobs(query: LatestJobsQuery): readonly JobRecord[] {
    return this.jobs({ keyId: everyKey, ...query });
  }

  jobCounts(): Readonly<Record<JobStatus, number>> {
    const count = (status: JobStatus): number => this.#jobLists.count(everyKey, status);
    return {
      queued: count("queued"),
      running: count("running"),
      succeeded: count("succeeded"),
      failed: count("failed"),
    };
  }

  idempotency(keyId: string, idempotencyKey: string): IdempotencyRecord | undefined {
    return this.#idempotency.get(scope(keyId, idempotencyKey));
  }

  putIdempotency(record: IdempotencyRecord): void {
    this.#set(this.#idempotency, scope(record.keyId, record.idempotencyKey), record);
  }

  removeIdempotency(record: IdempotencyRecord): void {
    this.#delete(this.#idempotency, scope(record.keyId, record.idempotencyKey));
  }

  addLedgerEntry(entry: LedgerEntry): void {
    this.#append(this.#ledger, entry.keyId, entry);
  }

  ledger(keyId: string): readonly LedgerEntry[] {
    return [...(this.#ledger.get(keyId) ?? [])];
  }

  purchase(paymentIntentId: string): PurchaseRecord | undefined {
    return this.#purchases.get(paymentIntentId);
  }

  purchaseByToken(token: string): PurchaseRecord | undefined {
    const id = this.#purchaseIdByToken.get(token);
    return id === undefined ? undefined : this.#purchases.get(id);
  }

  putPurchase(purchase: PurchaseRecord): void {
    this.#set(this.#purchases, purchase.paymentIntentId, purchase);
    this.#set(this.#purchaseIdByToken, purchase.token, purchase.paymentIntentId);
  }

  delivery(id: string): DeliveryRecord | undefined {
    return this.#deliveries.get(id);
  }

  deliveries(jobId?: string): readonly DeliveryRecord[] {
    if (jobId === undefined) return [...this.#deliveries.values()];
    const ids = this.#deliveryIdsByJob.get(jobId) ?? [];
    return ids.flatMap((id) => this.#deliveries.get(id) ?? []);
  }

  latestDeliveries(limit: number): {
    readonly deliveries: readonly DeliveryRecord[];
    readonly total: number;
  } {
    const all = [...this.#deliveries.values()];
    return { deliveries: newest(all, limit), total: all.length };
  }

  putDelivery(delivery: DeliveryRecord): void {
    if (!this.#deliveries.has(delivery.id)) {
      this.#append(this.#deliveryIdsByJob, delivery.jobId, delivery.id);
    }
    this.#set(this.#deliveries, delivery.id, delivery);
  }

  /** Replaces a job in its table and in the lists; undefined means that there is none. */
  #changeJob(before: JobRecord | undefined, after: JobRecord | undefined): void {
    if (after !== undefined) this.#set(this.#jobs, after.id, after);
    else if (before !== undefined) this.#delete(this.#jobs, before.id);
    this.#jobLists.change(before, after);
    this.#undo.push(() => this.#jobLists.change(after, before));
  }

  #set<Value>(table: Map<string, Value>, id: string, value: Value): void {
    const had = table.has(id);
    const previous = table.get(id);
    table.set(id, value);
    this.#undo.push(() => {
      // `has` is true, so `previous` is a value of the table.
      if (had) table.set(id, previous as Value);
      else table.delete(id);
    });
  }

  #delete<Value>(table: Map<string, Value>, id: string): void {
    const previous = table.get(id);
    if (previous === undefined) return;
    table.delete(id);
    this.#undo.push(() => table.set(id, previous));
  }

  #append<Value>(table: Map<string, Value[]>, id: string, value: Value): void {
    const rows = table.get(id);
    if (rows === undefined) this.#set(table, id, [value]);
    else {
      rows.push(value);
      this.#undo.push(() => rows.pop());
    }
  }
}

function newest<Value>(values: readonly Value[], limit: number): readonly Value[] {
  return values.slice(Math.max(0, values.length - limit)).toReversed();
}

function copyRows<Value>(table: Map<string, Value[]>): Map<string, Value[]> {
  return new Map(Array.from(table, ([id, rows]) => [id, [...rows]]));
}

function scope(keyId: string, idempotencyKey: string): string {
  return `${keyId}\n${idempotencyKey}`;
}
