import type { JobRecord, JobStatus } from "./records.ts";

/** Entry of a list. */
interface Row {
  readonly id: string;
  readonly sequence: number;
}

type Listed = Pick<JobRecord, "id" | "sequence" | "keyId" | "status">;

/** Key id of the lists with the jobs of all keys. */
export const everyKey = "";

/** Indexes of jobs by key and status, in the order of their creation. */
export class JobLists {
  readonly #lists = new Map<string, Row[]>();

  /** Copies the lists. Both share the immutable rows. */
  copy(): JobLists {
    const copy = new JobLists();
    for (const [name, rows] of this.#lists) copy.#lists.set(name, [...rows]);
    return copy;
  }

  /** Updates the lists for a change of a job. Swapped arguments undo it. */
  change(before: Listed | undefined, after: Listed | undefined): void {
    const [left, entered] = [listsOf(before), listsOf(after)];
    if (before !== undefined) {
      for (const name of left) if (!entered.includes(name)) this.#remove(name, before.sequence);
    }
    if (after !== undefined) {
      for (const name of entered) if (!left.includes(name)) this.#insert(name, after);
    }
  }

  /** Iterates over the ids of a key's jobs, newest first, with sequence numbers below `before`. */
  *newestFirst(
    keyId: string,
    { status, before }: { status?: JobStatus | undefined; before?: number | undefined },
  ): Generator<string> {
    const rows = this.#lists.get(status === undefined ? keyId : statusList(keyId, status)) ?? [];
    const end = before === undefined ? rows.length : indexOf(rows, before);
    for (let index = end - 1; index >= 0; index -= 1) {
      const row = rows[index];
      if (row !== undefined) yield row.id;
    }
  }

  /** Returns the number of jobs of a key with this status. */
  count(keyId: string, status: JobStatus): number {
    return this.#lists.get(statusList(keyId, status))?.length ?? 0;
  }

  #insert(name: string, { id, sequence }: Listed): void {
    const rows = this.#lists.get(name);
    if (rows === undefined) this.#lists.set(name, [{ id, sequence }]);
    else rows.splice(indexOf(rows, sequence), 0, { id, sequence });
  }

  #remove(name: string, sequence: number): void {
    const rows = this.#lists.get(name) ?? [];
    rows.splice(indexOf(rows, sequence), 1);
  }
}

/** Returns the names of the lists of a job. */
function listsOf(job: Listed | undefined): readonly string[] {
  if (job === undefined) return [];
  const keys = [job.keyId, everyKey];
  return [...keys, ...keys.map((key) => statusList(key, job.status))];
}

function statusList(keyId: string, status: JobStatus): string {
  return `${keyId}\n${status}`;
}

/** Finds the index of the first row from a sequence number on, by binary search. */
function indexOf(rows: readonly Row[], sequence: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle]?.sequence ?? sequence) < sequence) low = middle + 1;
    else high = middle;
  }
  return low;
}
