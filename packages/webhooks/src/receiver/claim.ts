import { sleep, withTimeout } from "./clock.ts";
import type { Clock } from "./clock.ts";
import type { ClaimState, ReceiverStore } from "./store.ts";

/** How long things take, in milliseconds. */
export interface ClaimTimes {
  /**
   * How long a claim lasts that is not renewed. It is renewed each third of that, and where that
   * fails, it is tried again each fifteenth.
   */
  readonly claimTtl: number;
  /** How long a delivery waits for one that is being handled. */
  readonly claimWait: number;
  /** How long a handled event is remembered. */
  readonly dedupeTtl: number;
}

/** How often a delivery that waits asks whether the claim of another one has ended. */
const askEvery = 250;

/** How often, and at which distance, it is tried to remember that an event was handled. */
const doneTries = 3;
const doneEvery = 1_000;

/** Time from the arrival of a delivery to the end of its store calls. The sender waits 10 s. */
const storeDeadline = 9_000;

/** Time for one claim, and for all attempts of `done`, when the deadline is near or over. */
const minClaimTimeout = 1_000;
const minDoneTimeout = 3_000;

/** Maximum time of one attempt of `done`, and of a release. */
const maxStoreTimeout = 2_000;

/** The claim of one delivery on its event. */
export class Claim {
  /** What the store knows the event by. */
  readonly key: string;
  readonly #store: ReceiverStore;
  readonly #clock: Clock;
  readonly #times: ClaimTimes;
  readonly #owner = globalThis.crypto.randomUUID();
  readonly #lost = new AbortController();
  readonly #arrivedAt: number;
  #until = 0;
  #renewalTimer: unknown;
  #lapseTimer: unknown;
  #renewal: Promise<void> | undefined;
  #handled = false;
  #over = false;
  #abandoned = false;

  constructor(
    store: ReceiverStore,
    clock: Clock,
    times: ClaimTimes,
    key: string,
    arrivedAt: number,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#times = times;
    this.key = key;
    this.#arrivedAt = arrivedAt;
  }

  /** Aborted when the claim could not be renewed in time, so that somebody else may have it. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /**
   * Claims the event. If another delivery has it, waits until that is done, has failed or has
   * died, but not past the time that the sender gives an attempt.
   */
  async take(): Promise<ClaimState> {
    const giveUpAt = this.#arrivedAt + this.#times.claimWait;
    for (;;) {
      const timeLeft = this.#arrivedAt + storeDeadline - this.#clock.now();
      const state = await this.#claim(Math.max(minClaimTimeout, timeLeft)).catch(
        (error: unknown) => {
          this.#abandoned = true;
          throw error;
        },
      );
      const now = this.#clock.now();
      if (state === "done") return state;
      // After an answer that took longer than the claim lasts, another delivery may have it.
      if (state === "claimed" && now < this.#until) {
        this.#keep();
        return state;
      }
      if (now >= giveUpAt) return "open";
      if (state === "open") await sleep(this.#clock, Math.min(askEvery, giveUpAt - now));
    }
  }

  /** Remembers that the event was handled; tried again, since what is lost here is handled twice. */
  async done(): Promise<void> {
    this.#handled = true;
    const timeLeft = this.#arrivedAt + storeDeadline - this.#clock.now();
    const giveUpAt = this.#clock.now() + Math.max(minDoneTimeout, timeLeft);
    try {
      for (let tries = 1; ; tries += 1) {
        const timeout = Math.min(maxStoreTimeout, giveUpAt - this.#clock.now());
        try {
          const call = this.#store.done(this.key, this.#times.dedupeTtl);
          await this.#limit("done", timeout, call);
          return;
        } catch (error) {
          if (tries === doneTries || this.#clock.now() + doneEvery >= giveUpAt) throw error;
        }
        await sleep(this.#clock, doneEvery);
      }
    } finally {
      this.#end();
    }
  }

  /** Gives the event up for the next delivery of it. */
  async release(): Promise<void> {
    this.#end();
    this.#abandoned = true;
    const release = async (): Promise<void> => {
      // A renewal that arrived after the release would block the event until it expires.
      await this.#renewal;
      await this.#store.release(this.key, this.#owner);
    };
    await this.#limit("release", maxStoreTimeout, release());
  }

  async #claim(timeout: number): Promise<ClaimState> {
    // From before the call: the store counts from some time after it.
    const until = this.#clock.now() + this.#times.claimTtl;
    const call = this.#store.claim(this.key, this.#owner, this.#times.claimTtl);
    void this.#releaseIfLate(call);
    const state = await this.#limit("claim", timeout, call);
    if (state === "claimed") this.#until = until;
    return state;
  }

  /** Releases what the store may grant after the delivery has failed. */
  async #releaseIfLate(call: Promise<ClaimState>): Promise<void> {
    try {
      await call;
      if (this.#abandoned) await this.#store.release(this.key, this.#owner);
    } catch {
      // The claim expires by itself.
    }
  }

  /** Rejects when the store does not answer in time, so that the service sends the event again. */
  #limit<Result>(method: string, timeout: number, call: Promise<Result>): Promise<Result> {
    const message = `The store has not answered \`${method}\` within ${timeout} ms. Check the connection to it.`;
    return withTimeout(this.#clock, timeout, call, message);
  }

  #keep(): void {
    this.#clock.clearTimeout(this.#lapseTimer);
    this.#lapseTimer = this.#clock.setTimeout(() => this.#lose(), this.#until - this.#clock.now());
    this.#renewAfter(this.#times.claimTtl / 3);
  }

  #renewAfter(delay: number): void {
    this.#renewalTimer = this.#clock.setTimeout(() => {
      // After a time in which the machine was asleep, this timer may come before the other.
      if (this.#clock.now() >= this.#until) this.#lose();
      else this.#renewal = this.#renew();
    }, delay);
  }

  async #renew(): Promise<void> {
    const { claimTtl } = this.#times;
    const state = await this.#claim(claimTtl / 3).catch(() => "unknown" as const);
    if (this.#over) return;
    if (state === "claimed") this.#keep();
    // A store that cannot be reached may be back before the claim has run out.
    else if (state === "unknown") this.#renewAfter(claimTtl / 15);
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
