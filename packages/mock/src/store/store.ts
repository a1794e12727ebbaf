import type {
  AccountRecord,
  DeliveryRecord,
  IdempotencyRecord,
  JobRecord,
  KeyRecord,
  LedgerEntry,
  PurchaseRecord,
} from "./records.ts";
import { Table } from "./table.ts";

/** Tables of a {@link Store}. Read and write them only within a step. */
export class Tables {
  /** Functions that undo the writes of the current step. */
  readonly undo: (() => void)[] = [];
  readonly accounts = new Table<AccountRecord>(this.undo, ({ id }) => id);
  /** Groups: the account's id. */
  readonly keys = new Table<KeyRecord>(
    this.undo,
    ({ id }) => id,
    ({ token, accountId }) => [`token ${token}`, accountId],
  );
  /** Groups: the key's id, the status, and both. */
  readonly jobs = new Table<JobRecord>(
    this.undo,
    ({ id }) => id,
    ({ keyId, status }) => [keyId, status, `${keyId} ${status}`],
  );
  /** Groups: the key's id. */
  readonly ledger = new Table<LedgerEntry>(
    this.undo,
    (_entry, sequence) => String(sequence),
    ({ keyId }) => [keyId],
  );
  /** Groups: the token. */
  readonly purchases = new Table<PurchaseRecord>(
    this.undo,
    ({ paymentIntentId }) => paymentIntentId,
    ({ token }) => [token],
  );
  /** Groups: the job's id. */
  readonly deliveries = new Table<DeliveryRecord>(
    this.undo,
    ({ id }) => id,
    ({ jobId }) => [jobId],
  );
  readonly idempotency = new Table<IdempotencyRecord>(this.undo, ({ id }) => id);

  keyByToken(token: string): KeyRecord | undefined {
    return this.keys.all(`token ${token}`)[0];
  }
}

/** Storage of the server, in memory. */
export class Store {
  readonly #tables = new Tables();

  /** Copies everything that is stored. Both stores share the immutable records. */
  copy(): Store {
    const copy = new Store();
    copyRows(this.#tables.accounts, copy.#tables.accounts);
    copyRows(this.#tables.keys, copy.#tables.keys);
    copyRows(this.#tables.jobs, copy.#tables.jobs);
    copyRows(this.#tables.ledger, copy.#tables.ledger);
    copyRows(this.#tables.purchases, copy.#tables.purchases);
    copyRows(this.#tables.deliveries, copy.#tables.deliveries);
    copyRows(this.#tables.idempotency, copy.#tables.idempotency);
    copy.#tables.undo.length = 0;
    return copy;
  }

  /** Runs `work` as one atomic step. If it throws, all of its writes are undone. Steps cannot be nested. */
  transact<Result>(work: (tables: Tables) => Result): Result {
    const { undo } = this.#tables;
    try {
      return work(this.#tables);
    } catch (error) {
      for (const undoWrite of undo.toReversed()) undoWrite();
      throw error;
    } finally {
      undo.length = 0;
    }
  }
}

function copyRows<Row extends object>(from: Table<Row>, to: Table<Row>): void {
  for (const row of from.all()) to.put(row);
}
