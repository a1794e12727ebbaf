import type { Order } from "./order.ts";

/** Keeps the last order of this browser, with its pictures, so that a reload loses nothing that was paid for. */
export interface OrderStore {
  load(): Promise<Order | undefined>;
  save(order: Order): Promise<void>;
  clear(): Promise<void>;
}

const shelf = "orders";
const last = "last";

/** A store in the browser. Where the browser keeps nothing, as in some private windows, it is always empty. */
export function browserStore(): OrderStore {
  const opened = open().catch(() => undefined);
  const use = async <Value>(
    mode: IDBTransactionMode,
    act: (orders: IDBObjectStore) => IDBRequest<Value>,
  ): Promise<Value | undefined> => {
    const database = await opened;
    if (database === undefined) return undefined;
    try {
      return await settled(act(database.transaction(shelf, mode).objectStore(shelf)));
    } catch {
      // A full disk is no reason not to try things on.
      return undefined;
    }
  };
  return {
    // Nothing but orders is put there.
    load: () => use("readonly", (orders) => orders.get(last) as IDBRequest<Order | undefined>),
    save: async (order) => void (await use("readwrite", (orders) => orders.put(order, last))),
    clear: async () => use("readwrite", (orders) => orders.delete(last)),
  };
}

/** A store that is empty after each reload, as is the mock in the page. */
export function pageStore(): OrderStore {
  let kept: Order | undefined;
  return {
    load: () => Promise.resolve(kept),
    save: async (order) => void (kept = order),
    clear: async () => void (kept = undefined),
  };
}

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open("fitting-room", 1);
  request.addEventListener("upgradeneeded", () => request.result.createObjectStore(shelf));
  return settled(request);
}

function settled<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("No database.")));
  });
}
