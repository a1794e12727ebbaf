import { pause } from "./clock.ts";
import type { Clock } from "./clock.ts";
import type { ClaimState, ReceiverStore } from "./store.ts";

/** How long things take, in milliseconds. */
export interface ClaimTimes {
  /**
   * How long a claim lasts that is not renewed. It is renewed each third of that, and where that
   * fails, it is tried again each fifteenth.
   */
  readonly claimFor: number;
  /** How long a delivery waits for one that is being handled. */
  readonly waitFor: number;
  /** How long a handled event is remembered. */
  readonly rememberFor: number;
}

/** How often a delivery that waits asks whether the claim of another one has ended. */
const askEvery = 250;

/** How often, and at which distance, it is tried to remember that an event was handled. */
const doneTries = 3;
const doneEvery = 1_000;

/** The claim of one delivery on its event. */
export class Claim {
  /** What the store knows the event by. */
  readonly key: string;
  readonly #store: ReceiverStore;
  readonly #clock: Clock;
  readonly #times: ClaimTimes;
  readonly #owner = globalThis.crypto.randomUUID();
  readonly #lost = new AbortController();
  #until = 0;
  #renewalTimer: unknown;
  #lapseTimer: unknown;
  #renewal: Promise<void> | undefined;
  #handled = false;
  #over = false;

  constructor(store: ReceiverStore, clock: Clock, times: ClaimTimes, key: string) {
    this.#store = store;
    this.#clock = clock;
    this.#times = times;
    this.key = key;
  }

  /** Aborted when the claim could not be renewed in time, so that somebody else may have it. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /**
   * Claims the event. Where another delivery has it, waits until that is done, has failed or has
   * died, but not past the time that the sender gives an attempt.
   */
  async take(arrivedAt: number): Promise<ClaimState> {
    const giveUpAt = arrivedAt + this.#times.waitFor;
    for (;;) {
      const state = await this.#claim();
      const now = this.#clock.now();
      if (state === "done") return state;
      // Where the answer took so long that the claim has run out, somebody else may have it.
      if (state === "claimed" && now < this.#until) {
        this.#keep();
        return state;
      }
      if (now >= giveUpAt) return "open";
      if (state === "open") await pause(this.#clock, Math.min(askEvery, giveUpAt - now));
    }
  }

  /** Remembers that the event was handled; tried again, since what is lost here is handled twice. */
  async done(): Promise<void> {
    this.#handled = true;
    try {
      for (let tries = 1; ; tries += 1) {
        try {
          await this.#store.done(this.key, this.#times.rememberFor);
          return;
        } catch (error) {
          if (tries === doneTries) throw error;
        }
        await pause(this.#clock, doneEvery);
      }
    } finally {
      this.#end();
    }
  }

  /** Gives the event up for the next delivery of it. */
  async release(): Promise<void> {
    this.#end();
    // One that arrived after the release would claim the event for nobody.
    await this.#renewal;
    await this.#store.release(this.key, this.#owner);
  }

  async #claim(): Promise<ClaimState> {
    // From before the question: the store counts from some time after it.
    const until = this.#clock.now() + this.#times.claimFor;
    const state = await this.#store.claim(this.key, this.#owner, this.#times.claimFor);
    if (state === "claimed") this.#until = until;
    return state;
  }

  #keep(): void {
    this.#clock.clearTimeout(this.#lapseTimer);
    this.#lapseTimer = this.#clock.setTimeout(() => this.#lose(), this.#until - this.#clock.now());
    this.#renewAfter(this.#times.claimFor / 3);
  }

  #renewAfter(delay: number): void {
    this.#renewalTimer = this.#clock.setTimeout(() => {
      // After a time in which the machine was asleep, this timer may come before the other.
      if (this.#clock.now() >= this.#until) this.#lose();
      else this.#renewal = this.#renew();
    }, delay);
  }

  async #renew(): Promise<void> {
    const state = await this.#claim().catch(() => "unknown" as const);
    if (this.#over) return;
    if (this.#clock.now() >= this.#until) this.#lose();
    else if (state === "claimed") this.#keep();
    // A store that cannot be reached may be back before the claim has run out.
    else if (state === "unknown") this.#renewAfter(this.#times.claimFor / 15);
    else this.#lose();
  }

  #lose(): void {
    this.#end();
    if (this.#handled) return;
    const message = `The claim on ${this.key} ran out while its handler was at work: another delivery of this event may be handled now. Stop where you can.`;
    this.#lost.abort(new Error(message));
  }

  #end(): void {
    this.#over = true;
    this.#clock.clearTimeout(this.#renewalTimer);
    this.#clock.clearTimeout(this.#lapseTimer);
  }
}
