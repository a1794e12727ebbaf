import type { Control, ControlState } from "./control.ts";
import type { Store } from "../store/store.ts";
import type { Service, ServiceState } from "../service/service.ts";
import type { SystemClock } from "../system/clock.ts";
import type { ScheduledTask, System } from "../system/system.ts";

/** State of a server, for `restore` of the same server. */
export interface Snapshot {
  /** Server time of the snapshot, in milliseconds since 1970. */
  readonly takenAt: number;
}

/** Data and work of a server between two resets or restores. */
export interface ServerState {
  readonly system: System;
  readonly store: Store;
  readonly service: Service;
}

/** Data that a state begins with. */
export interface SavedData {
  readonly store: Store;
  readonly seed: string;
}

interface SavedState extends SavedData {
  readonly randomPosition: number;
  readonly tasks: readonly ScheduledTask[];
  readonly service: ServiceState;
  readonly control: ControlState;
}

/**
 * The current state of a server. A restore ends it and begins another one on a copy, so work that is still under way
 * writes to a state that nothing reads.
 */
export class ServerStates<Current extends ServerState> {
  current: Current;
  readonly #clock: SystemClock;
  readonly #begin: (saved?: SavedData) => Current;
  readonly #control: Control;
  readonly #states = new WeakMap<Snapshot, SavedState>();

  constructor(clock: SystemClock, begin: (saved?: SavedData) => Current, control: Control) {
    this.#clock = clock;
    this.#begin = begin;
    this.#control = control;
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
        "snapshot: belongs to another server; pass a snapshot that this server returned.",
      );
    }
    this.end();
    this.#clock.set(snapshot.takenAt);
    this.current = this.#begin({ store: state.store.copy(), seed: state.seed });
    const { system, service } = this.current;
    system.random.position = state.randomPosition;
    for (const task of state.tasks) system.scheduler.add(task);
    service.resume(state.service);
    this.#control.restore(state.control);
  }

  reset(): void {
    this.end();
    this.#clock.set();
    this.#control.reset();
    this.current = this.#begin();
  }

  /** Ends all current and scheduled work. */
  end(): void {
    const { service, system } = this.current;
    service.close();
    system.clock.end();
  }

  /** Takes a consistent snapshot, or returns undefined if other work began meanwhile. */
  async #capture(): Promise<Snapshot | undefined> {
    const { current } = this;
    const { system, store, service } = current;
    await service.precompute();
    return store.transact(() => {
      const state = this.#clock.idle && current === this.current ? service.state() : undefined;
      if (state === undefined) return undefined;
      const snapshot: Snapshot = Object.freeze({ takenAt: this.#clock.now() });
      this.#states.set(snapshot, {
        store: store.copy(),
        seed: system.random.seed,
        randomPosition: system.random.position,
        tasks: system.scheduler.tasks,
        service: state,
        control: this.#control.snapshot(),
      });
      return snapshot;
    });
  }
}
