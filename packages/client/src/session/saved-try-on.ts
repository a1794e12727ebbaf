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
/** Version of the database: since 2, images are bytes. */
const version = 2;

let last: Promise<unknown> = /* @__PURE__ */ Promise.resolve();

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
  /** Data that the browser stores: all, all but images, or none. */
  stores: "all" | "job" | false = "all";
  readonly #key: SavedKey;

  constructor(key: SavedKey) {
    this.#key = key;
  }

  get last(): Promise<unknown> {
    return last;
  }

  /** Says that this tab has started another try-on: until it is saved, a reload must not show the one before. */
  replace(startedAt: number): void {
    this.#remember(String(startedAt));
  }

  async load(): Promise<SavedTryOn | undefined> {
    const replacedBefore = Number(this.#remember());
    if (replacedBefore > 0) {
      await this.deleteWhere(({ startedAt }) => startedAt < replacedBefore, this.#key);
    }
    return this.#inTurn(async () => {
      // `save` is the only writer.
      const saved = await accessTable((all) => all.get(this.#key) as IDBRequest<SavedTryOn>);
      return saved?.input ? { ...saved, input: await mapImages(saved.input, imageOf) } : saved;
    });
  }

  save({ input, ...others }: SavedTryOn): Promise<unknown> {
    return this.#inTurn(async () => {
      const put = (saved: object) => accessTable((all) => all.put(saved, this.#key));
      // It fails in a page that is closed, which must not save less than is known.
      const stored = input && { input: await mapImages(input, storedImage) };
      try {
        await put({ ...others, ...stored });
        this.stores = "all";
      } catch (error) {
        if (!input) throw error;
        await put(others);
        this.stores = "job";
      }
      this.#remember("");
    });
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
    return this.#inTurn(() =>
      accessTable((all) => {
        const opening = all.openCursor(only);
        opening.addEventListener("success", () => {
          const cursor = opening.result;
          if (!cursor) return;
          // `save` is the only writer.
          if (isUnwanted(cursor.value as SavedTryOn, cursor.key as SavedKey)) cursor.delete();
          cursor.continue();
        });
        return opening;
      }),
    );
  }

  /** Reads or replaces a value of this tab, at once and across a reload. */
  #remember(value?: string): string | null {
    const name = `${database}:${JSON.stringify(this.#key)}`;
    try {
      if (value === undefined) return sessionStorage.getItem(name);
      if (value) sessionStorage.setItem(name, value);
      else sessionStorage.removeItem(name);
    } catch {
      // On a server, and where a page may store nothing.
    }
    return null;
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
    const working = last.then(async () => {
      try {
        const value = await work();
        this.stores ||= "all";
        return value;
      } catch {
        this.stores = false;
        return undefined;
      }
    });
    last = working;
    return working;
  }
}

async function accessTable<Value>(
  access: (all: IDBObjectStore) => IDBRequest<Value>,
): Promise<Value> {
  const opening = indexedDB.open(database, version);
  opening.addEventListener("upgradeneeded", ({ oldVersion }) => {
    if (oldVersion === 0) opening.result.createObjectStore(table);
  });
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

/** Copies an input into a form that can be sent and stored more than once: streams and responses are read. */
export function storableInput(input: TryOnInput): Promise<TryOnInput> {
  return mapImages(input, (image) => {
    if (image instanceof URL) return String(image);
    if (image instanceof ReadableStream) return new Response(image).blob();
    // The client rejects a response with an error status.
    return image instanceof Response && image.ok ? image.blob() : image;
  });
}

async function mapImages(input: TryOnInput, map: (image: unknown) => unknown): Promise<TryOnInput> {
  const { person, garments } = Object(input) as { person?: unknown; garments?: unknown };
  const [image, ...clothes] = await Promise.all([person, ...[garments ?? []].flat()].map(map));
  // The copy has the fields of the input.
  return {
    ...input,
    ...(person !== undefined && { person: image }),
    ...(garments !== undefined && { garments: clothes }),
  } as TryOnInput;
}

/** A `Blob` in the form that is stored. WebKit stores none in a private window, and Firefox loses it with its record. */
interface StoredImage {
  readonly bytes: ArrayBuffer;
  readonly type: string;
  readonly name?: string;
}

async function storedImage(image: unknown): Promise<unknown> {
  if (!(image instanceof Blob)) return image;
  const { type } = image;
  const bytes = await image.arrayBuffer();
  return { bytes, type, ...(image instanceof File && { name: image.name }) } satisfies StoredImage;
}

async function imageOf(stored: unknown): Promise<unknown> {
  // In a database of version 1, it is a `Blob`.
  const { bytes, type, name } = Object(await storedImage(stored)) as Partial<StoredImage>;
  if (!(bytes instanceof ArrayBuffer)) return stored;
  const options = { type: type ?? "" };
  return name === undefined ? new Blob([bytes], options) : new File([bytes], name, options);
}
