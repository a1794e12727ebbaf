import { OptionsError, show } from "@tryon/shared/options";

import type { Control, ControlState } from "./control.ts";
import type { MockStore } from "../store/state-log.ts";
import { Store } from "../store/store.ts";
import type { PlannedOutcome } from "../service/next-jobs.ts";
import type { Service } from "../service/service.ts";
import type { SystemClock } from "../system/clock.ts";
import type { System } from "../system/system.ts";

/** State of a server, for `restore` of the same server. */
export interface Snapshot {
  /** Server time of the snapshot, in milliseconds since 1970. */
  readonly takenAt: number;
}

export interface ServerState {
  readonly system: System;
  readonly store: Store;
  readonly service: Service;
}

interface SavedState {
  readonly store: Store;
  readonly randomPosition: number;
  readonly nextJobs: readonly PlannedOutcome[];
  readonly control: ControlState;
}

interface Parts<Current> {
  readonly clock: SystemClock;
  readonly control: Control;
  readonly log: MockStore | undefined;
  readonly newSeed: () => string;
  readonly begin: (store: Store) => Current;
}

/** Bytes of the random source between the ids of two processes. */
const bytesPerProcess = 2 ** 36;

/**
 * The current state of a server. A restore ends it and begins another one on a copy, so work that is still under way
 * writes to a state that nothing reads.
 */
export class ServerStates<Current extends ServerState> {
  current: Current;
  readonly #parts: Parts<Current>;
  readonly #states = new WeakMap<Snapshot, SavedState>();

  constructor(parts: Parts<Current> & { readonly store: Store }) {
    this.#parts = parts;
    const restarts = this.#prepare(parts.store);
    this.current = parts.begin(parts.store);
    this.current.system.random.position += restarts * bytesPerProcess;
    this.current.service.resume();
  }

  async snapshot(): Promise<Snapshot> {
    for (;;) {
      const snapshot = await this.#parts.clock.still(() => this.#capture());
      if (snapshot !== undefined) return snapshot;
    }
  }

  restore(snapshot: Snapshot): void {
    const state = this.#states.get(snapshot);
    if (state === undefined) {
      const hint = "Pass a snapshot that this server returned.";
      throw new OptionsError("snapshot", "belongs to another server", hint);
    }
    this.end();
    this.#parts.clock.set(snapshot.takenAt);
    this.current = this.#parts.begin(state.store.copy(this.#parts.log));
    const { system, service } = this.current;
    system.random.position = state.randomPosition;
    service.nextJobs.resume(state.nextJobs);
    service.resume();
    this.#parts.control.restore(state.control);
    this.#saveClock();
  }

  reset(): void {
    this.end();
    this.#parts.clock.set();
    this.#parts.control.reset();
    const store = new Store().copy(this.#parts.log);
    this.#prepare(store);
    this.current = this.#parts.begin(store);
  }

  /** Called when the clock has moved. Saves its moves, so that a restarted server continues with its time. */
  onMove(): void {
    this.current.service.jobs.purge();
    this.#saveClock();
  }

  #saveClock(): void {
    if (this.#parts.log === undefined) return;
    const clockOffset = this.#parts.clock.offset;
    this.current.store.transact(({ server }) =>
      server.put({ ...server.getOrThrow("server"), clockOffset }),
    );
  }

  #prepare(store: Store): number {
    const { mode: clockMode, offset: clockOffset } = this.#parts.clock;
    return store.transact(({ server }) => {
      const earlier = server.get("server");
      if (earlier !== undefined && earlier.clockMode !== clockMode) {
        const problem = `must be ${show(earlier.clockMode)}, as in the state`;
        throw new OptionsError("clock", problem, "Use that, or the store of another state.");
      }
      const restarts = earlier === undefined ? 0 : earlier.restarts + 1;
      server.put({
        seed: earlier?.seed ?? this.#parts.newSeed(),
        clockMode,
        restarts,
        clockOffset,
      });
      return restarts;
    });
  }

  end(): void {
    const { service, store, system } = this.current;
    service.close();
    system.clock.end();
    store.detach();
  }

  /** Takes a consistent snapshot, or returns undefined if other work began meanwhile. */
  async #capture(): Promise<Snapshot | undefined> {
    const { current } = this;
    const { system, store, service } = current;
    if (!this.#parts.clock.idle || current !== this.current) return undefined;
    const snapshot: Snapshot = Object.freeze({ takenAt: this.#parts.clock.now() });
    this.#states.set(snapshot, {
      store: store.copy(),
      randomPosition: system.random.position,
      nextJobs: service.nextJobs.state,
      control: this.#parts.control.snapshot(),
    });
    return snapshot;
  }
}
