import { MemoryTables } from "./memory-tables.ts";
import type { Store, Transaction } from "./store.ts";

/** A store in this process's memory: gone with it, and as fast as it gets. */
export class MemoryStore implements Store {
  readonly #tables: MemoryTables;
  #last: Promise<unknown> = Promise.resolve();

  constructor(tables = new MemoryTables()) {
    this.#tables = tables;
  }

  /** Within a step that has written nothing: a copy of everything. */
  copyTables(): MemoryTables {
    return this.#tables.copy();
  }

  transact<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    const step = async (): Promise<Result> => {
      try {
        return await work(this.#tables);
      } catch (error) {
        this.#tables.undo();
        throw error;
      } finally {
        this.#tables.commit();
      }
    };
    const result = this.#last.then(step, step);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
