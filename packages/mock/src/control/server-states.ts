import type { MemoryStore } from "../store/memory-store.ts";
import type { MemoryTables } from "../store/memory-tables.ts";
import type { Service, ServiceState } from "../service/service.ts";
import type { ScheduledTask } from "../system/scheduler.ts";
import type { SystemClock } from "../system/clock.ts";
import type { RandomState } from "../system/random.ts";
import type { System } from "../system/system.ts";

/** A state of a server, to be given back to `restore` of the same server; opaque. */
export interface Snapshot {
  /** The server's time when it was taken, in milliseconds since 1970. */
  readonly takenAt: number;
}

/** A server from one reset or restore to the next: all that it knows, and all that it has under way. */
export interface ServerState {
  readonly system: System;
  readonly store: MemoryStore;
  readonly service: Service;
}

/** What an epoch begins with, when not from nothing. */
interface SavedState {
  readonly tables: MemoryTables;
  readonly random: RandomState;
  readonly tasks: readonly ScheduledTask[];
  readonly service: ServiceState;
  /** Each puts a part of the server that is kept beside its epochs back into its state. */
  readonly parts: readonly (() => void)[];
}

/** A part of the server that lives on beside its epochs and has a state of its own. */
export interface SnapshotPart {
  /** Notes the state; what it returns puts the part back into it, as often as it is called. */
  keep(): () => void;
  /** Puts the part into the state of a new server. */
  reset(): void;
}

/**
 * The epochs of a server. Going back never changes what there is: it ends the epoch and begins another on a copy, so
 * work that is under way in the old one writes where nobody reads any more.
 */
export class ServerStates<Current extends ServerState> {
  current: Current;
  readonly #clock: SystemClock;
  readonly #begin: (tables?: MemoryTables) => Current;
  readonly #parts: readonly SnapshotPart[];
  readonly #states = new WeakMap<Snapshot, SavedState>();

  constructor(
    clock: SystemClock,
    begin: (tables?: MemoryTables) => Current,
    parts: readonly SnapshotPart[] = [],
  ) {
    this.#clock = clock;
    this.#begin = begin;
    this.#parts = parts;
    this.current = begin();
  }

  async snapshot(): Promise<Snapshot> {
    for (;;) {
      const snapshot = await this.#clock.still(() => this.#capture());
      if (snapshot !== undefined) return snapshot;
    }
  }

  /** @throws TypeError when the snapshot is not one of this server. */
  restore(snapshot: Snapshot): void {
    const state = this.#states.get(snapshot);
    if (state === undefined) {
      throw new TypeError(
        "snapshot: not one that this server has taken; pass what its own snapshot() gave.",
      );
    }
    this.end();
    this.#clock.set(snapshot.takenAt);
    this.current = this.#begin(state.tables.copy());
    const { system, service } = this.current;
    system.random.resume(state.random);
    for (const task of state.tasks) system.scheduler.add(task);
    service.resume(state.service);
    for (const putBack of state.parts) putBack();
  }

  reset(): void {
    this.end();
    this.#clock.set();
    for (const part of this.#parts) part.reset();
    this.current = this.#begin();
  }

  /** Lets go of everything that is under way or to come. */
  end(): void {
    const { service, system } = this.current;
    service.close();
    system.clock.end();
  }

  /** Everything at one moment, or undefined when other work was begun meanwhile. */
  async #capture(): Promise<Snapshot | undefined> {
    const { current } = this;
    const { system, store, service } = current;
    await service.precompute();
    return store.transact(() => {
      const state = this.#clock.idle && current === this.current ? service.state() : undefined;
      if (state === undefined) return undefined;
      const snapshot: Snapshot = Object.freeze({ takenAt: this.#clock.now() });
      this.#states.set(snapshot, {
        tables: store.copyTables(),
        random: system.random.state,
        tasks: system.scheduler.tasks,
        service: state,
        parts: this.#parts.map((part) => part.keep()),
      });
      return snapshot;
    });
  }
}
