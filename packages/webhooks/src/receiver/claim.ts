import { sleep, withTimeout } from "./clock.ts";
import type { Clock } from "./clock.ts";
import type { ClaimTimes } from "./options.ts";
import type { ClaimState, ReceiverStore } from "./store.ts";

/** Time between two attempts to claim an event that another delivery handles. */
const pollInterval = 250;

/** Maximum number of attempts to record that an event was handled, and the time between them. */
const maxDoneAttempts = 3;
const doneInterval = 1_000;

/** Time from the arrival of a delivery to the end of its store calls. The sender waits 10 s. */
const storeDeadline = 9_000;

/** Time for one claim, and for all attempts of `done`, when the deadline is near or over. */
const minClaimTimeout = 1_000;
const minDoneTimeout = 3_000;

/** Maximum time of one attempt of `done`, and of a release. */
const maxStoreTimeout = 2_000;

/** Claim of one delivery on its event. */
export class Claim {
  /** Key of the event in the store. */
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

  /** Aborted when the claim was not renewed in time, so that another delivery may have it. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** Claims the event. Waits up to `claimWait` while another delivery has it. */
  async take(): Promise<ClaimState> {
    const waitUntil = this.#arrivedAt + this.#times.claimWait;
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
      // If the store took longer than the claim lasts, another delivery may have it.
      if (state === "claimed" && now < this.#until) {
        this.#scheduleRenewal();
        return state;
      }
      if (now >= waitUntil) return "open";
      if (state === "open") await sleep(this.#clock, Math.min(pollInterval, waitUntil - now));
    }
  }

  /** Records that the event was handled. Retries, because a lost record means a second handling. */
  async done(): Promise<void> {
    this.#handled = true;
    const timeLeft = this.#arrivedAt + storeDeadline - this.#clock.now();
    const deadline = this.#clock.now() + Math.max(minDoneTimeout, timeLeft);
    try {
      for (let attempt = 1; ; attempt += 1) {
        const timeout = Math.min(maxStoreTimeout, deadline - this.#clock.now());
        try {
          const call = this.#store.done(this.key, this.#times.dedupeTtl);
          await this.#limit("done", timeout, call);
          return;
        } catch (error) {
          if (attempt === maxDoneAttempts) throw error;
          if (this.#clock.now() + doneInterval >= deadline) throw error;
        }
        await sleep(this.#clock, doneInterval);
      }
    } finally {
      this.#end();
    }
  }

  /** Releases the event for the next delivery. */
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
    // The claim in the store starts later, so this time is earlier than its end.
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

  /** Rejects when the store does not respond in time, so that the service retries. */
  #limit<Result>(method: string, timeout: number, call: Promise<Result>): Promise<Result> {
    const message = `The store did not respond to \`${method}\` within ${timeout} ms. Check the connection to it.`;
    return withTimeout(this.#clock, timeout, call, message);
  }

  #scheduleRenewal(): void {
    this.#clock.clearTimeout(this.#lapseTimer);
    this.#lapseTimer = this.#clock.setTimeout(() => this.#lose(), this.#until - this.#clock.now());
    this.#renewAfter(this.#times.claimTtl / 3);
  }

  #renewAfter(delay: number): void {
    this.#renewalTimer = this.#clock.setTimeout(() => {
      // After the machine was suspended, this timer may fire before the other.
      if (this.#clock.now() >= this.#until) this.#lose();
      else this.#renewal = this.#renew();
    }, delay);
  }

  async #renew(): Promise<void> {
    const { claimTtl } = this.#times;
    const state = await this.#claim(claimTtl / 3).catch(() => "unknown" as const);
    if (this.#over) return;
    if (state === "claimed") this.#scheduleRenewal();
    // An unreachable store may recover before the claim expires.
    else if (state === "unknown") this.#renewAfter(claimTtl / 15);
    else this.#lose();
  }

  #lose(): void {
    this.#end();
    if (this.#handled) return;
    const message = `The claim on ${this.key} expired during its handler: another delivery of this event may be handled now. Stop the handler if possible.`;
    this.#lost.abort(new Error(message));
  }

  #end(): void {
    this.#over = true;
    this.#clock.clearTimeout(this.#renewalTimer);
    this.#clock.clearTimeout(this.#lapseTimer);
  }
}
