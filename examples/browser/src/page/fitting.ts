import { isTryOnError, type Job, type OnUpdate, type TryOn } from "@tryon/client";

import { errorWords, type ErrorWords } from "./error-words.ts";
import { canBePickedUp, inputOf, type Order, type Wish } from "./order.ts";
import type { OrderStore } from "./order-store.ts";
import { stepOf, type Step } from "./progress-words.ts";

/** What there is to see, one at a time. */
export type Stage =
  | { readonly name: "empty" }
  /** An order of an earlier visit was found. */
  | { readonly name: "offered"; readonly person: Blob }
  | { readonly name: "working"; readonly person: Blob; readonly step: Step; readonly since: number }
  | { readonly name: "stopped"; readonly person: Blob }
  | {
      readonly name: "failed";
      readonly person: Blob;
      readonly words: ErrorWords;
      readonly code: string;
    }
  | { readonly name: "done"; readonly before: Blob; readonly after: Blob };

/** What a step of the way can be given. */
interface WayOptions {
  readonly signal: AbortSignal;
  readonly onUpdate: OnUpdate;
}

/** One visitor's way from a wish to a picture; it knows nothing of how that looks. */
export class Fitting {
  readonly #tryon: TryOn;
  readonly #store: OrderStore;
  readonly #show: (stage: Stage) => void;
  #order: Order | undefined;
  #way: AbortController | undefined;
  #failure: unknown;

  constructor(tryon: TryOn, store: OrderStore, show: (stage: Stage) => void) {
    this.#tryon = tryon;
    this.#store = store;
    this.#show = show;
  }

  /** Offers what an earlier visit has left. */
  async open(): Promise<void> {
    const order = await this.#store.load();
    // Whoever was quicker than the store has begun something new.
    if (this.#order !== undefined) return;
    // Past that time it would be another try-on, which nobody has asked for.
    if (order === undefined || !canBePickedUp(order, Date.now())) return this.forget();
    this.#order = order;
    this.#show({ name: "offered", person: order.person });
  }

  /** Sends a wish and shows what becomes of it. */
  async start(wish: Wish): Promise<void> {
    const order: Order = { ...wish, key: crypto.randomUUID(), since: Date.now() };
    await this.#follow(order, async (options) => {
      // Before anything is sent: from here on the same order can be asked for again, and is never made twice.
      await this.#store.save(order);
      return this.#submit(order, options);
    });
  }

  /** Goes on with the order where it was left. */
  async pickUp(): Promise<void> {
    const order = this.#order;
    if (order === undefined) return;
    await this.#follow(order, async (options) =>
      order.job === undefined ? this.#submit(order, options) : this.#tryon.jobs.resume(order.job),
    );
  }

  /** Does what the words of a failure advise. */
  async mend(remedy: ErrorWords["remedy"]): Promise<void> {
    const order = this.#order;
    if (order === undefined || remedy === "change") return this.forget();
    if (remedy === "reload") return location.reload();
    if (remedy === "again") return this.start(order);
    const recover = recoveryOf(this.#failure);
    if (remedy === "wait" || recover === undefined) return this.pickUp();
    await this.#follow(order, ({ signal }) => recover({ signal }));
  }

  /** Ends the waiting. What was sent is made all the same, since no job can be called back. */
  stop(): void {
    this.#way?.abort();
  }

  async forget(): Promise<void> {
    this.stop();
    this.#order = undefined;
    this.#failure = undefined;
    this.#show({ name: "empty" });
    await this.#store.clear();
  }

  #submit(order: Order, options: WayOptions): Promise<Job> {
    return this.#tryon.submit(inputOf(order), { ...options, idempotencyKey: order.key });
  }

  /** Goes from a job to its picture, whichever way the job is had. */
  async #follow(order: Order, jobOf: (options: WayOptions) => Promise<Job>): Promise<void> {
    const way = new AbortController();
    this.#way = way;
    this.#order = order;
    const { person, since } = order;
    const working = (step: Step): void => {
      // What comes after an end is of no interest any more.
      if (this.#way === way && !way.signal.aborted) {
        this.#show({ name: "working", person, step, since });
      }
    };
    const options = {
      signal: way.signal,
      onUpdate: (update) => working(stepOf(update)),
    } as const satisfies WayOptions;
    working("preparing");
    try {
      const job = await jobOf(options);
      await this.#keep({ ...order, job: job.toJSON() });
      const result = await job.result(options);
      working("fetching");
      const after = await result.image.blob({ signal: way.signal });
      if (this.#order?.key === order.key) this.#show({ name: "done", before: person, after });
    } catch (error) {
      this.#fail(order, way, error);
    }
  }

  async #keep(order: Order): Promise<void> {
    if (this.#order?.key !== order.key) return;
    this.#order = order;
    await this.#store.save(order);
  }

  #fail({ key, person }: Order, way: AbortController, error: unknown): void {
    // It was forgotten, or another has begun.
    if (this.#order?.key !== key || this.#way !== way) return;
    if (way.signal.aborted) return this.#show({ name: "stopped", person });
    this.#failure = error;
    const code = isTryOnError(error) ? error.code : "unexpected";
    const words = errorWords(error, this.#order.job !== undefined);
    this.#show({ name: "failed", person, words, code });
  }
}

function recoveryOf(error: unknown) {
  return isTryOnError(error, "outcome_unknown") ||
    isTryOnError(error, "server_error") ||
    isTryOnError(error, "unavailable") ||
    isTryOnError(error, "idempotency_conflict")
    ? error.recover
    : undefined;
}
