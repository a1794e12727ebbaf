import type {
  AccountRecord,
  DeliveryRecord,
  IdempotencyRecord,
  JobRecord,
  KeyRecord,
  LedgerEntry,
  PurchaseRecord,
  ServerRecord,
  UnfinishedJobRecord,
} from "./records.ts";
import type { MockStore, SavedRecord } from "./state-log.ts";
import { Table, type Change } from "./table.ts";

/** Tables of a {@link Store}. Read and write them only within a step. */
export class Tables {
  /** Writes of the current step, oldest first. */
  readonly changes: Change[] = [];
  readonly accounts = new Table<AccountRecord>("accounts", this.changes, ({ id }) => id);
  /** Groups: the account's id. */
  readonly keys = new Table<KeyRecord>(
    "keys",
    this.changes,
    ({ id }) => id,
    ({ token, accountId }) => [`token ${token}`, accountId],
  );
  /** Groups: the key's id, the status, and both. */
  readonly jobs = new Table<JobRecord>(
    "jobs",
    this.changes,
    ({ id }) => id,
    ({ keyId, status }) => [keyId, status, `${keyId} ${status}`],
  );
  /** Groups: the key's id. */
  readonly ledger = new Table<LedgerEntry>(
    "ledger",
    this.changes,
    (_entry, sequence) => String(sequence),
    ({ keyId }) => [keyId],
  );
  /** Groups: the token. */
  readonly purchases = new Table<PurchaseRecord>(
    "purchases",
    this.changes,
    ({ paymentIntentId }) => paymentIntentId,
    ({ token }) => [token],
  );
  /** Groups: the job's id, and `pending`. */
  readonly deliveries = new Table<DeliveryRecord>(
    "deliveries",
    this.changes,
    ({ id }) => id,
    ({ jobId, state }) => (state === "pending" ? [jobId, state] : [jobId]),
  );
  /** Groups: `pending` for requests without a response. */
  readonly idempotency = new Table<IdempotencyRecord>(
    "idempotency",
    this.changes,
    ({ id }) => id,
    ({ response }) => (response === null ? ["pending"] : []),
  );
  readonly unfinished = new Table<UnfinishedJobRecord>(
    "unfinished",
    this.changes,
    ({ jobId }) => jobId,
  );
  /** One record. */
  readonly server = new Table<ServerRecord>("server", this.changes, () => "server");

  keyByToken(token: string): KeyRecord | undefined {
    return this.keys.all(`token ${token}`)[0];
  }
}

/** Storage of the server: in memory, and also in a log that outlives the process, if there is one. */
export class Store {
  readonly #tables = new Tables();
  readonly #byKind = tablesOf(this.#tables);
  #log: MockStore | undefined;

  /** Reads the records of the log. */
  constructor(log?: MockStore) {
    for (const saved of log?.read() ?? []) this.#load(saved);
    this.#log = log;
  }

  /**
   * Copies everything that is stored. Both stores share the immutable records.
   *
   * @param log Log of the copy, whose records are replaced.
   */
  copy(log?: MockStore): Store {
    const copy = new Store();
    const saved = [...this.#byKind.values()].flatMap((table) => table.save());
    for (const one of saved) copy.#load(one);
    log?.replace(saved);
    copy.#log = log;
    return copy;
  }

  /** Ends saving, so that work that is still under way no longer changes the log. */
  detach(): void {
    this.#log = undefined;
  }

  /**
   * Runs `work` as one atomic step, and saves its writes in the log. If `work` or the log throws, all writes are undone.
   * Steps cannot be nested.
   */
  transact<Result>(work: (tables: Tables) => Result): Result {
    const { changes } = this.#tables;
    try {
      const result = work(this.#tables);
      if (changes.length > 0) this.#log?.write(lastOf(changes));
      return result;
    } catch (error) {
      for (const { undo } of changes.toReversed()) undo();
      throw error;
    } finally {
      changes.length = 0;
    }
  }

  #load(saved: SavedRecord): void {
    this.#byKind.get(saved.kind)?.load(saved);
  }
}

function tablesOf(tables: Tables): ReadonlyMap<string, Table<object>> {
  const all = Object.values(tables).filter((table) => table instanceof Table);
  return new Map(all.map((table) => [table.kind, table]));
}

/** Returns each changed record once, as it is now. */
function lastOf(changes: readonly Change[]): readonly SavedRecord[] {
  const last = new Map(changes.map((change) => [change.entry, change]));
  return Array.from(last.values(), ({ saved }) => saved());
}
