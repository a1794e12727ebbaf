import { MemoryTables } from "./memory-tables.ts";
import type { Store, Transaction } from "./store.ts";

/** Store in the memory of this process. */
export class MemoryStore implements Store {
  readonly #tables: MemoryTables;

  constructor(tables = new MemoryTables()) {
    this.#tables = tables;
  }

  /** Copies everything that is stored. */
  copyTables(): MemoryTables {
    return this.#tables.copy();
  }

  transact<Result>(work: (transaction: Transaction) => Result): Result {
    try {
      return work(this.#tables);
    } catch (error) {
      this.#tables.undo();
      throw error;
    } finally {
      this.#tables.commit();
    }
  }
}
