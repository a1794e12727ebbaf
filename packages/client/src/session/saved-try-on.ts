import type { SavedJob, TryOnInput } from "@tryon/client";

/** Try-on of a session, as IndexedDB stores it. */
export interface SavedTryOn {
  readonly idempotencyKey: string;
  /** Time of `start`, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Input, which sends the same request again. Removed once the image was loaded. */
  readonly input?: TryOnInput | undefined;
  readonly job?: SavedJob | undefined;
  /** If true, the visitor stopped waiting, so that a new page does not continue by itself. */
  readonly isPaused?: boolean | undefined;
}

const [database, table] = ["tryon-session", "try-ons"];

/**
 * Stores one try-on by name in IndexedDB. Every access opens the database and closes it, since an open one can keep a page
 * out of the back/forward cache. Where the browser cannot store data, as in some private windows, the methods do nothing.
 */
export class TryOnStorage {
  /** If false, the last access failed. */
  isAvailable = true;
  /** Resolves after all accesses so far. */
  last: Promise<unknown> = Promise.resolve();
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  load(): Promise<SavedTryOn | undefined> {
    // `save` is the only writer.
    return this.#access((all) => all.get(this.#name) as IDBRequest<SavedTryOn>);
  }

  save(saved: SavedTryOn): Promise<unknown> {
    return this.#access((all) => all.put(saved, this.#name));
  }

  delete(): Promise<unknown> {
    return this.#access((all) => all.delete(this.#name));
  }

  /** Accesses the table after all accesses before. */
  #access<Value>(access: (all: IDBObjectStore) => IDBRequest<Value>): Promise<Value | undefined> {
    const accessing = this.last.then(async () => {
      try {
        const value = await accessTable(access);
        this.isAvailable = true;
        return value;
      } catch {
        this.isAvailable = false;
        return undefined;
      }
    });
    this.last = accessing;
    return accessing;
  }
}

async function accessTable<Value>(
  access: (all: IDBObjectStore) => IDBRequest<Value>,
): Promise<Value> {
  const opening = indexedDB.open(database, 1);
  opening.addEventListener("upgradeneeded", () => opening.result.createObjectStore(table));
  await settled(opening, "success", "error");
  const opened = opening.result;
  try {
    const transaction = opened.transaction(table, "readwrite");
    const request = access(transaction.objectStore(table));
    // A full disk aborts the transaction after the request has succeeded.
    await settled(transaction, "complete", "abort");
    return request.result;
  } finally {
    opened.close();
  }
}

/** Resolves with one event, and rejects with the other. */
function settled(target: EventTarget, success: string, failure: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    target.addEventListener(success, resolve);
    target.addEventListener(failure, reject);
  });
}

/** Copies an input into a form that IndexedDB can store. Streams and responses are read. */
export async function storableInput(input: TryOnInput): Promise<TryOnInput> {
  const { person, garments } = Object(input) as { person?: unknown; garments?: unknown };
  const [image, ...clothes] = await Promise.all([person, ...[garments ?? []].flat()].map(storable));
  // The copy has the fields of the input.
  return {
    ...input,
    ...(person !== undefined && { person: image }),
    ...(garments !== undefined && { garments: clothes }),
  } as TryOnInput;
}

async function storable(image: unknown): Promise<unknown> {
  if (image instanceof URL) return String(image);
  if (image instanceof ReadableStream) return new Response(image).blob();
  // The client rejects a response with an error status.
  return image instanceof Response && image.ok ? image.blob() : image;
}
