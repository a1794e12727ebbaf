import type { Snapshot } from "../server-states.ts";

/** How many snapshots are kept for those who know them by their id alone; nobody can say when he needs one no more. */
const kept = 100;

/** The snapshots that were taken over HTTP, by their ids. */
export class Snapshots {
  readonly #snapshots = new Map<string, Snapshot>();
  #taken = 0;

  /** Keeps a snapshot, in place of the oldest when there are too many, and gives its id. */
  add(snapshot: Snapshot): string {
    this.#taken += 1;
    const id = `snap_${this.#taken}`;
    this.#snapshots.set(id, snapshot);
    const [oldest] = this.#snapshots.keys();
    if (this.#snapshots.size > kept && oldest !== undefined) this.#snapshots.delete(oldest);
    return id;
  }

  /** @throws RangeError when there is none of this id, or none any more. */
  find(id: unknown): Snapshot {
    const found = typeof id === "string" ? this.#snapshots.get(id) : undefined;
    if (found !== undefined) return found;
    throw new RangeError(
      `snapshot_id: there is no snapshot ${JSON.stringify(id) ?? "of no name"}; take one with POST /__mock/snapshot. The last ${kept} are kept.`,
    );
  }
}
