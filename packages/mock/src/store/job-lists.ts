import type { JobRecord, JobStatus } from "./records.ts";

/** A job as a list holds it. */
interface Row {
  readonly id: string;
  readonly sequence: number;
}

type Listed = Pick<JobRecord, "id" | "sequence" | "keyId" | "status">;

/** Stands for a key where the jobs of all keys are meant. */
export const everyKey = "";

/**
 * The jobs of each key, and of every key, in the order of their creation: all of them, and those of each status by themselves, so that a
 * page of few among many is found without a look at the many.
 */
export class JobLists {
  readonly #lists = new Map<string, Row[]>();

  /** The same lists, apart from these; rows never change, so both may hold them. */
  copy(): JobLists {
    const copy = new JobLists();
    for (const [name, rows] of this.#lists) copy.#lists.set(name, [...rows]);
    return copy;
  }

  /** Lists a job as it is after a change, in place of as it was before; exchanged, the two take the change back. */
  change(before: Listed | undefined, after: Listed | undefined): void {
    const [left, entered] = [listsOf(before), listsOf(after)];
    if (before !== undefined) {
      for (const name of left) if (!entered.includes(name)) this.#remove(name, before.sequence);
    }
    if (after !== undefined) {
      for (const name of entered) if (!left.includes(name)) this.#insert(name, after);
    }
  }

  /** The ids of a key's jobs, newest first, beginning with the job before the one of this sequence number. */
  *newestFirst(
    keyId: string,
    { status, before }: { status?: JobStatus | undefined; before?: number | undefined },
  ): Generator<string> {
    const rows = this.#lists.get(status === undefined ? keyId : statusList(keyId, status)) ?? [];
    const end = before === undefined ? rows.length : placeOf(rows, before);
    for (let index = end - 1; index >= 0; index -= 1) {
      const row = rows[index];
      if (row !== undefined) yield row.id;
    }
  }

  /** How many jobs of a key have this status. */
  count(keyId: string, status: JobStatus): number {
    return this.#lists.get(statusList(keyId, status))?.length ?? 0;
  }

  #insert(name: string, { id, sequence }: Listed): void {
    const rows = this.#lists.get(name);
    if (rows === undefined) this.#lists.set(name, [{ id, sequence }]);
    else rows.splice(placeOf(rows, sequence), 0, { id, sequence });
  }

  #remove(name: string, sequence: number): void {
    const rows = this.#lists.get(name) ?? [];
    rows.splice(placeOf(rows, sequence), 1);
  }
}

/** The names of the lists that a job is in. */
function listsOf(job: Listed | undefined): readonly string[] {
  if (job === undefined) return [];
  const keys = [job.keyId, everyKey];
  return [...keys, ...keys.map((key) => statusList(key, job.status))];
}

function statusList(keyId: string, status: JobStatus): string {
  return `${keyId}\n${status}`;
}

/** How many rows come before a sequence number, found by bisection: a late page costs no more than the first. */
function placeOf(rows: readonly Row[], sequence: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle]?.sequence ?? sequence) < sequence) low = middle + 1;
    else high = middle;
  }
  return low;
}
