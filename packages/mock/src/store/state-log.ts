/**
 * Storage that keeps the state of a server when its process ends, such as `createSqliteStore(file)` of `@tryon/mock/node`.
 * The server keeps all records in memory too, and reads them once, at its start.
 */
export interface MockStore {
  /** Returns all records, in the order of `sequence` within their kind. Called once, at the start of a server. */
  read(): Iterable<SavedRecord>;
  /**
   * Saves changed records, all or none, before it returns. Each record is given once. If it throws, requests get a 500
   * until a later call succeeds, which gets the same changes again.
   */
  write(changes: readonly SavedRecord[]): void;
  /** Replaces all records, all or none: at a reset or the restore of a snapshot. */
  replace(records: readonly SavedRecord[]): void;
  /** Called by `mock.close()`. */
  close(): void;
}

/** Record of a server as a {@link MockStore} saves it. */
export interface SavedRecord {
  /** Kind such as `jobs`. `kind` and `id` identify the record. */
  readonly kind: string;
  /** Id within the kind. */
  readonly id: string;
  /** Place in the order of creation within the kind. */
  readonly sequence: number;
  /** JSON data, but for an image of the type `Uint8Array` in `result.bytes`. Null if the record was removed. */
  readonly record: object | null;
}
