import { setTimeout as sleep } from "node:timers/promises";

import type { Time } from "../target/time.ts";

/** Window of a rate limit in milliseconds, which begins at full minutes. */
const window = 60_000;

/** Milliseconds of this machine after which the clock of the target is moved on for a request. */
const patience = 250;

/** Milliseconds by which a replay may be late. */
const tolerance = 2_000;

/** Time of a replay. The clock of a reference server moves as in the recording. Elsewhere, only the order is kept. */
export class ReplayTime {
  readonly #time: Time;
  /** Difference between a time of the target and that of the recording. */
  #shift = 0;

  constructor(time: Time) {
    this.#time = time;
  }

  /** Moves the clock to the same part of a minute as in the recording, for the same windows of rate limits. */
  async start(recorded: number): Promise<void> {
    if (!this.#time.virtual) return;
    const ahead = (((Math.ceil(recorded) - (await this.now())) % window) + window) % window;
    await this.pass(Math.floor(ahead));
    this.#shift = this.#time.now() - recorded;
  }

  async now(): Promise<number> {
    if (this.#time.virtual) await this.#time.pass(0);
    return this.#time.now();
  }

  /** Waits until a time of the recording, if the target can be moved there. */
  async moveTo(recorded: number): Promise<void> {
    if (!this.#time.virtual) return;
    const ahead = recorded + this.#shift - (await this.now());
    // A request that took longer than its recording delays all later ones, which keeps the time between them.
    if (ahead < -tolerance) this.#shift -= ahead;
    await this.pass(ahead);
  }

  async until(request: Promise<void>): Promise<void> {
    if (!this.#time.virtual) return request;
    const over = request.then(() => true);
    for (;;) {
      // The server responds to this after its other work, so that a request that is still open waits for time.
      await this.now();
      if (await Promise.race([over, sleep(patience, false)])) return;
      await this.pass(5_000);
    }
  }

  async pass(milliseconds: number): Promise<void> {
    if (milliseconds > 0) await this.#time.pass(milliseconds);
  }
}
