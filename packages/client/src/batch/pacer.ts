import type { TryOn } from "@tryon/client";

import { nextDue, preparationAfter, readAhead, restAfter, startDelay, type Pace } from "./pace.ts";
import { pause } from "./pause.ts";

/** Lets submissions start one after the other, as far apart as the rate limit of the key wants it. */
export class Pacer {
  readonly #tryon: TryOn;
  readonly #signal: AbortSignal;
  #dueAt = Number.NEGATIVE_INFINITY;
  #restingUntil = Number.NEGATIVE_INFINITY;
  #bouts = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  #last: Promise<void> = Promise.resolve();
  #asking: Promise<void> | undefined;
  #isAsked = false;
  /** How long it takes from reading an item until its turn is asked for, in milliseconds. */
  #preparation: number | undefined;
  /** Whether answers are held, so that little has to be left for looks. */
  held: boolean;

  constructor(tryon: TryOn, held: boolean, signal: AbortSignal) {
    this.#tryon = tryon;
    this.held = held;
    this.#signal = signal;
  }

  /** How many items may be read ahead of their turn: one as long as it has not been asked how many may be sent. */
  get ahead(): number {
    return this.#isAsked || this.#tryon.rateLimit
      ? readAhead(this.#pace(), this.#preparation ?? 0)
      : 1;
  }

  /** Takes note of how long an input that was read then has been made. */
  prepared(readAt: number): void {
    const took = Math.max(0, this.#tryon.clock.now() - readAt);
    this.#preparation = preparationAfter(this.#preparation, took);
  }

  /** Waits for the turn of one submission, first come, first served. */
  turn(): Promise<void> {
    const turn = this.#last.then(() => this.#wait());
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Takes note that an item that was started then has failed for a reason that others may meet, too. */
  failed(startedAt: number): void {
    if (startedAt < this.#failedAt) return;
    this.#failedAt = this.#tryon.clock.now();
    this.#bouts += 1;
    this.#restingUntil = this.#failedAt + restAfter(this.#bouts);
  }

  /** Takes note that the service works. */
  succeeded(): void {
    this.#bouts = 0;
  }

  #pace(): Pace {
    return {
      now: this.#tryon.clock.now(),
      dueAt: this.#dueAt,
      restingUntil: this.#restingUntil,
      held: this.held,
      budget: this.#tryon.rateLimit,
    };
  }

  async #wait(): Promise<void> {
    if (this.#tryon.rateLimit === undefined) await (this.#asking ??= this.#ask());
    for (;;) {
      this.#signal.throwIfAborted();
      const pace = this.#pace();
      const delay = startDelay(pace);
      if (delay === 0) {
        this.#dueAt = nextDue(pace);
        return;
      }
      await pause(this.#tryon.clock, delay, this.#signal);
    }
  }

  /** Asks for the rate limit, once. A proxy may keep that to itself; then the answers have to say. */
  async #ask(): Promise<void> {
    try {
      await this.#tryon.account.get({ signal: this.#signal });
    } catch {
      this.#signal.throwIfAborted();
    }
    this.#isAsked = true;
  }
}
