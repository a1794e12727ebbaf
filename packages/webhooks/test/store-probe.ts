import type { ClaimState, ReceiverStore } from "../src/receiver/store.ts";

type Step = keyof ReceiverStore;

/** The connection of one process to a store, which can be cut, and which tells what went over it. */
export class StoreProbe implements ReceiverStore {
  /** Every step that was asked for, in order. */
  readonly steps: Step[] = [];
  /** Steps that reject, and never come to the store. */
  readonly failing = new Set<Step>();
  /** Set on a process that died: nothing comes to the store any more, and nothing back. */
  dead = false;
  readonly #store: ReceiverStore;
  readonly #owners = new Set<string>();
  readonly #held = new Map<Step, Promise<void>>();
  #arrived = Promise.withResolvers<void>();

  constructor(store: ReceiverStore) {
    this.#store = store;
  }

  /** Resolves when the next delivery asks for its event for the first time. */
  arrival(): Promise<void> {
    this.#arrived = Promise.withResolvers<void>();
    return this.#arrived.promise;
  }

  /** Keeps what is asked for from now on under way, until the function that is given back is called. */
  hold(step: Step): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held.set(step, promise);
    return () => {
      this.#held.delete(step);
      resolve();
    };
  }

  /** How many times a step was asked for. */
  count(step: Step): number {
    return this.steps.filter((other) => other === step).length;
  }

  async claim(key: string, owner: string, ttl: number): Promise<ClaimState> {
    const isNew = !this.#owners.has(owner);
    this.#owners.add(owner);
    const state = this.#through("claim", () => this.#store.claim(key, owner, ttl));
    if (isNew) this.#arrived.resolve();
    return state;
  }

  async done(key: string, ttl: number): Promise<void> {
    await this.#through("done", () => this.#store.done(key, ttl));
  }

  async release(key: string, owner: string): Promise<void> {
    await this.#through("release", () => this.#store.release(key, owner));
  }

  async #through<Said>(step: Step, ask: () => Promise<Said>): Promise<Said> {
    this.steps.push(step);
    await this.#held.get(step);
    if (this.dead) return new Promise<never>(() => undefined);
    if (this.failing.has(step)) throw new Error(`The store cannot be reached: ${step}`);
    return ask();
  }
}
