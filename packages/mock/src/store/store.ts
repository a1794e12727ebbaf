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
import { turn } from "../system/host.ts";
import type { MockStore, SavedRecord } from "./state-log.ts";
import { Table, type Change } from "./table.ts";

const byId = ({ id }: { readonly id: string }): string => id;

export class Tables {
  readonly changes: Change[] = [];
  readonly accounts = new Table<AccountRecord>("accounts", this.changes, byId);
  readonly keys = new Table<KeyRecord>(
    "keys",
    this.changes,
    byId,
    ["token", "accountId"],
    ({ token, accountId }) => [`token ${token}`, accountId],
  );
  readonly jobs = new Table<JobRecord>(
    "jobs",
    this.changes,
    byId,
    ["keyId", "status", "result"],
    (job) => [
      job.keyId,
      job.status,
      `${job.keyId} ${job.status}`,
      ...(job.result?.bytes === undefined ? [] : ["image"]),
    ],
  );
  readonly ledger = new Table<LedgerEntry>(
    "ledger",
    this.changes,
    (_entry, sequence) => String(sequence),
    ["keyId"],
    ({ keyId }) => [keyId],
  );
  readonly purchases = new Table<PurchaseRecord>(
    "purchases",
    this.changes,
    ({ paymentIntentId }) => paymentIntentId,
    ["token"],
    ({ token }) => [token],
  );
  readonly deliveries = new Table<DeliveryRecord>(
    "deliveries",
    this.changes,
    byId,
    ["jobId", "state"],
    ({ jobId, state }) => (state === "pending" ? [jobId, state] : [jobId]),
  );
  readonly idempotency = new Table<IdempotencyRecord>(
    "idempotency",
    this.changes,
    byId,
    ["response"],
    ({ response }) => (response === null ? ["pending"] : []),
  );
  readonly unfinished = new Table<UnfinishedJobRecord>(
    "unfinished",
    this.changes,
    ({ jobId }) => jobId,
  );
  readonly server = new Table<ServerRecord>("server", this.changes, () => "server");

  keyByToken(token: string): KeyRecord | undefined {
    return this.keys.oldest(`token ${token}`);
  }
}

/**
 * Storage of the server: in memory, and also in a log that outlives the process, if there is one. The changes of one turn
 * of the event loop are saved together.
 */
export class Store {
  readonly #tables = new Tables();
  readonly #byKind = tablesOf(this.#tables);
  /** Changes that are not in the log, by their entry. */
  readonly #unsaved = new Map<object, Change>();
  #saving: Promise<void> | undefined;
  #log: MockStore | undefined;

  constructor(log?: MockStore) {
    for (const saved of log?.read() ?? []) this.#load(saved);
    this.#log = log;
  }

  /** Returns a store with the same immutable records, which replace those of its log. */
  copy(log?: MockStore): Store {
    const copy = new Store();
    const saved = [...this.#byKind.values()].flatMap((table) => table.save());
    for (const one of saved) copy.#load(one);
    log?.replace(saved);
    copy.#log = log;
    return copy;
  }

  /**
   * Waits until all changes so far are in the log. Returns undefined if they are.
   *
   * @throws the error of the log. The changes stay, and the next call saves them.
   */
  saved(): Promise<void> | undefined {
    if (this.#unsaved.size === 0) return undefined;
    return (this.#saving ??= this.#saveAfterTurn());
  }

  async #saveAfterTurn(): Promise<void> {
    await turn();
    this.#saving = undefined;
    this.#save();
  }

  /** Saves the last changes, and ends saving, so that work that is still under way no longer changes the log. */
  detach(): void {
    try {
      this.#save();
    } finally {
      this.#log = undefined;
      this.#unsaved.clear();
    }
  }

  /** Runs `work` as one atomic step. If it throws, all of its writes are undone. Steps cannot be nested. */
  transact<Result>(work: (tables: Tables) => Result): Result {
    const { changes } = this.#tables;
    try {
      const result = work(this.#tables);
      if (this.#log !== undefined && changes.length > 0) {
        for (const change of changes) this.#unsaved.set(change.entry, change);
        this.saved()?.catch(() => undefined);
      }
      return result;
    } catch (error) {
      for (const { undo } of changes.toReversed()) undo();
      throw error;
    } finally {
      changes.length = 0;
    }
  }

  #save(): void {
    if (this.#unsaved.size === 0) return;
    this.#log?.write(Array.from(this.#unsaved.values(), ({ saved }) => saved()));
    this.#unsaved.clear();
  }

  #load(saved: SavedRecord): void {
    this.#byKind.get(saved.kind)?.load(saved);
  }
}

function tablesOf(tables: Tables): ReadonlyMap<string, Table<object>> {
  const all = Object.values(tables).filter((table) => table instanceof Table);
  return new Map(all.map((table) => [table.kind, table]));
}
