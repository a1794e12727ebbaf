import type { SavedJob, TryOnInput } from "@tryon/client";

export interface SavedTryOn {
  readonly idempotencyKey: string;
  /** Time of `start`, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Time after `startedAt` until any session deletes it, in milliseconds. Absent in a try-on of an earlier version. */
  readonly maxAge?: number | undefined;
  /** Input, which sends the same request again. Removed once the image was loaded. */
  readonly input?: TryOnInput | undefined;
  readonly job?: SavedJob | undefined;
  /** Fingerprint of the API key that the proxy had before the first attempt. */
  readonly apiKeyFingerprint?: string | undefined;
  /** If true, the visitor stopped waiting, so that a new page does not continue by itself. */
  readonly isPaused?: boolean | undefined;
}

/** Key of a try-on in the table: its name, or the user and the name. */
export type SavedKey = string | [user: string, name: string];

const [database, table] = ["tryon-session", "try-ons"];

let last: Promise<unknown> = Promise.resolve();

/**
 * Returns true for a try-on that is older than its `maxAge`, or than `maxAge` if it has none. If it is as far in the future,
 * the clock was set back, and its age is unknown.
 */
export function isExpired(saved: SavedTryOn, now: number, maxAge: number): boolean {
  return !(Math.abs(now - saved.startedAt) <= (saved.maxAge ?? maxAge));
}

/**
 * Stores one try-on in IndexedDB. Every access opens the database and closes it, since an open one can keep a page
 * out of the back/forward cache. Where the browser cannot store data, as in some private windows, the methods do nothing.
 */
export class TryOnStorage {
  isAvailable = true;
  readonly #key: SavedKey;

  constructor(key: SavedKey) {
    this.#key = key;
  }

  get last(): Promise<unknown> {
    return last;
  }

  load(): Promise<SavedTryOn | undefined> {
    // `save` is the only writer.
    return this.#access((all) => all.get(this.#key) as IDBRequest<SavedTryOn>);
  }

  save(saved: SavedTryOn): Promise<unknown> {
    return this.#access((all) => all.put(saved, this.#key));
  }

  delete(idempotencyKey?: string): Promise<unknown> {
    return this.deleteWhere(
      (saved) => (idempotencyKey ?? saved.idempotencyKey) === saved.idempotencyKey,
      this.#key,
    );
  }

  deleteWhere(
    isUnwanted: (saved: SavedTryOn, key: SavedKey) => boolean,
    only?: SavedKey,
  ): Promise<unknown> {
    return this.#access((all) => {
      const opening = all.openCursor(only);
      opening.addEventListener("success", () => {
        const cursor = opening.result;
        if (!cursor) return;
        // `save` is the only writer.
        if (isUnwanted(cursor.value as SavedTryOn, cursor.key as SavedKey)) cursor.delete();
        cursor.continue();
      });
      return opening;
    });
  }

  #access<Value>(access: (all: IDBObjectStore) => IDBRequest<Value>): Promise<Value | undefined> {
    const accessing = last.then(async () => {
      try {
        const value = await accessTable(access);
        this.isAvailable = true;
        return value;
      } catch {
        this.isAvailable = false;
        return undefined;
      }
    });
    last = accessing;
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
