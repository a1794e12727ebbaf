import type { ClaimState, ReceiverStore } from "../src/receiver/store.ts";

type Method = keyof ReceiverStore;

/** Connection of one process to a store. It records the calls and can fail or block them. */
export class StoreProbe implements ReceiverStore {
  readonly methods: Method[] = [];
  /** Methods that reject without a call of the store. */
  readonly failing = new Set<Method>();
  /** If true, calls neither reach the store nor settle. */
  crashed = false;
  readonly #store: ReceiverStore;
  readonly #owners = new Set<string>();
  readonly #blocked = new Map<Method, Promise<void>>();
  #delivery = Promise.withResolvers<void>();

  constructor(store: ReceiverStore) {
    this.#store = store;
  }

  /** Resolves when the next delivery claims its event for the first time. */
  nextDelivery(): Promise<void> {
    this.#delivery = Promise.withResolvers<void>();
    return this.#delivery.promise;
  }

  /** Blocks later calls of a method until the returned function is called. */
  block(method: Method): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#blocked.set(method, promise);
    return () => {
      this.#blocked.delete(method);
      resolve();
    };
  }

  count(method: Method): number {
    return this.methods.filter((other) => other === method).length;
  }

  async claim(key: string, owner: string, ttl: number): Promise<ClaimState> {
    const isNew = !this.#owners.has(owner);
    this.#owners.add(owner);
    const state = this.#call("claim", () => this.#store.claim(key, owner, ttl));
    if (isNew) this.#delivery.resolve();
    return state;
  }

  async done(key: string, ttl: number): Promise<void> {
    await this.#call("done", () => this.#store.done(key, ttl));
  }

  async release(key: string, owner: string): Promise<void> {
    await this.#call("release", () => this.#store.release(key, owner));
  }

  async #call<Result>(method: Method, call: () => Promise<Result>): Promise<Result> {
    this.methods.push(method);
    await this.#blocked.get(method);
    if (this.crashed) return new Promise<never>(() => undefined);
    if (this.failing.has(method)) throw new Error(`The store is unreachable: ${method}`);
    return call();
  }
}
