import type { TryOnRequest } from "./try-on-request.ts";

const table = "requests";

/** Stores the last request with its images, so that a reload does not lose what was paid for. */
export class RequestStore {
  readonly #database = openDatabase().catch(() => undefined);
  readonly #key: string;

  constructor(key: string) {
    this.#key = key;
  }

  load(): Promise<TryOnRequest | undefined> {
    // `save` is the only writer.
    return this.#run("readonly", (requests) => requests.get(this.#key) as IDBRequest<TryOnRequest>);
  }

  async save(request: TryOnRequest): Promise<void> {
    await this.#run("readwrite", (requests) => requests.put(request, this.#key));
  }

  async clear(): Promise<void> {
    await this.#run("readwrite", (requests) => requests.delete(this.#key));
  }

  /** Returns undefined if the browser cannot store data, as in some private windows or on a full disk. */
  async #run<Value>(
    mode: IDBTransactionMode,
    action: (requests: IDBObjectStore) => IDBRequest<Value>,
  ): Promise<Value | undefined> {
    const database = await this.#database;
    try {
      return (
        database && (await resultOf(action(database.transaction(table, mode).objectStore(table))))
      );
    } catch {
      return undefined;
    }
  }
}

function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open("try-on", 1);
  request.addEventListener("upgradeneeded", () => request.result.createObjectStore(table));
  return resultOf(request);
}

function resultOf<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("No database.")));
  });
}
