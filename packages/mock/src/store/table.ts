import type { SavedRecord } from "./state-log.ts";

/** Record with its place in the order of creation. The record is undefined once it is removed. */
interface Entry<Row> {
  readonly id: string;
  readonly sequence: number;
  row: Row | undefined;
}

export interface Change {
  readonly undo: () => void;
  readonly saved: () => SavedRecord;
  readonly entry: object;
}

/** Records of one kind, by id and in groups. Each list of records is in the order of their creation. */
export class Table<Row extends object> {
  readonly kind: string;
  readonly #changes: Change[];
  readonly #idOf: (row: Row, sequence: number) => string;
  readonly #groupsOf: (row: Row) => readonly string[];
  readonly #groupFields: readonly (keyof Row)[];
  readonly #entries = new Map<string, Entry<Row>>();
  /** Undefined is the group of all records. */
  readonly #groups = new Map<string | undefined, Entry<Row>[]>();
  #sequence = 0;

  /**
   * @param idOf returns the id of a record. `sequence` is unique among new records.
   * @param groupFields fields that the groups of a record depend on.
   * @param groupsOf returns the groups of a record.
   */
  constructor(
    kind: string,
    changes: Change[],
    idOf: (row: Row, sequence: number) => string,
    groupFields: readonly (keyof Row)[] = [],
    groupsOf: (row: Row) => readonly string[] = () => [],
  ) {
    this.kind = kind;
    this.#changes = changes;
    this.#idOf = idOf;
    this.#groupFields = groupFields;
    this.#groupsOf = groupsOf;
  }

  get(id: string): Row | undefined {
    return this.#entries.get(id)?.row;
  }

  getOrThrow(id: string): Row {
    const row = this.get(id);
    if (row === undefined) throw new Error(`The record ${id} is missing from the store.`);
    return row;
  }

  all(group?: string): readonly Row[] {
    return rowsOf(this.#groups.get(group));
  }

  oldest(group?: string): Row | undefined {
    return this.#groups.get(group)?.[0]?.row;
  }

  latest(limit: number, group?: string): readonly Row[] {
    return rowsOf(this.#groups.get(group)?.slice(-limit)).toReversed();
  }

  /** Iterates over a group, newest first, or over the part of it that is older than the record with the id `before`. */
  *newestFirst(group: string, before = ""): Generator<Row> {
    const entries = this.#groups.get(group) ?? [];
    const end = this.#entries.get(before)?.sequence ?? Number.POSITIVE_INFINITY;
    for (let index = indexOf(entries, end) - 1; index >= 0; index -= 1) {
      const row = entries[index]?.row;
      if (row !== undefined) yield row;
    }
  }

  count(group?: string): number {
    return this.#groups.get(group)?.length ?? 0;
  }

  put(row: Row): void {
    const id = this.#idOf(row, this.#sequence);
    // Like the sequence of a database, the number is not reused after a rollback.
    this.#write(this.#entries.get(id) ?? { id, sequence: this.#sequence++, row: undefined }, row);
  }

  remove(id: string): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined) this.#write(entry, undefined);
  }

  save(): readonly SavedRecord[] {
    return (this.#groups.get(undefined) ?? []).map((entry) => this.#saved(entry));
  }

  load({ id, sequence, record }: SavedRecord): void {
    this.#sequence = Math.max(this.#sequence, sequence + 1);
    // The record was saved by a table of the same kind.
    this.#replace({ id, sequence, row: undefined }, (record ?? undefined) as Row | undefined);
  }

  #saved({ id, sequence, row }: Entry<Row>): SavedRecord {
    return { kind: this.kind, id, sequence, record: row ?? null };
  }

  #write(entry: Entry<Row>, row: Row | undefined): void {
    const before = entry.row;
    this.#replace(entry, row);
    const undo = (): void => this.#replace(entry, before);
    this.#changes.push({ undo, entry, saved: () => this.#saved(entry) });
  }

  #replace(entry: Entry<Row>, row: Row | undefined): void {
    const before = entry.row;
    entry.row = row;
    const isRegrouped = this.#groupFields.some((field) => before?.[field] !== row?.[field]);
    if (before !== undefined && row !== undefined && !isRegrouped) return;
    const [left, entered] = [this.#groupNames(before), this.#groupNames(row)];
    if (row === undefined) this.#entries.delete(entry.id);
    else this.#entries.set(entry.id, entry);
    for (const name of left) {
      const entries = this.#groups.get(name) ?? [];
      if (!entered.includes(name)) entries.splice(indexOf(entries, entry.sequence), 1);
    }
    for (const name of entered) {
      const entries = this.#groups.get(name);
      if (entries === undefined) this.#groups.set(name, [entry]);
      else if (!left.includes(name)) entries.splice(indexOf(entries, entry.sequence), 0, entry);
    }
  }

  #groupNames(row: Row | undefined): readonly (string | undefined)[] {
    return row === undefined ? [] : [undefined, ...this.#groupsOf(row)];
  }
}

function rowsOf<Row>(entries: readonly Entry<Row>[] = []): readonly Row[] {
  return entries.flatMap(({ row }) => row ?? []);
}

function indexOf(entries: readonly Entry<unknown>[], sequence: number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle]?.sequence ?? sequence) < sequence) low = middle + 1;
    else high = middle;
  }
  return low;
}
