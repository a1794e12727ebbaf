import { setTimeout as sleep } from "node:timers/promises";

import type { Control } from "../target/control.ts";

/** Time of a replay. */
export interface ReplayTime {
  /** Returns the time of the target in milliseconds since 1970, as far as it is known. */
  now(): Promise<number>;
  /** Waits until a time of the recording, if the target can be moved there. */
  moveTo(recorded: number): Promise<void>;
  /** Waits for a request. */
  until(request: Promise<void>): Promise<void>;
  /** Waits a number of milliseconds of the target. */
  pass(milliseconds: number): Promise<void>;
}

/** Time of a deployment, whose clock cannot be moved. Requests follow each other without the recorded delays. */
export class RealTime implements ReplayTime {
  readonly #sleep: (milliseconds: number) => Promise<unknown>;

  constructor(wait: (milliseconds: number) => Promise<unknown> = sleep) {
    this.#sleep = wait;
  }

  async now(): Promise<number> {
    return Date.now();
  }

  async moveTo(): Promise<void> {
    // The order of the requests is all that can be repeated.
  }

  until(request: Promise<void>): Promise<void> {
    return request;
  }

  async pass(milliseconds: number): Promise<void> {
    await this.#sleep(milliseconds);
  }
}

/** Window of a rate limit in milliseconds, which begins at full minutes. */
const window = 60_000;

/** Milliseconds of this machine after which the clock of the target is moved on for a request. */
const patience = 250;

/** Milliseconds by which a replay may be late. */
const tolerance = 2_000;

/** Time of a reference server, whose clock moves as in the recording. */
export class ReferenceTime implements ReplayTime {
  readonly #control: Control;
  /** Difference between a time of the target and that of the recording. */
  #shift: number;

  private constructor(control: Control, shift: number) {
    this.#control = control;
    this.#shift = shift;
  }

  /** Moves the clock to the same part of a minute as in the recording, for the same windows of rate limits. */
  static async start(control: Control, recorded: number): Promise<ReferenceTime> {
    const time = new ReferenceTime(control, 0);
    const ahead = (((Math.ceil(recorded) - (await time.now())) % window) + window) % window;
    await time.pass(Math.floor(ahead));
    time.#shift = (await time.now()) - recorded;
    return time;
  }

  now(): Promise<number> {
    return this.#advance(0);
  }

  async moveTo(recorded: number): Promise<void> {
    const ahead = recorded + this.#shift - (await this.now());
    // A request that took longer than its recording delays all later ones, which keeps the time between them.
    if (ahead < -tolerance) this.#shift -= ahead;
    await this.pass(ahead);
  }

  async until(request: Promise<void>): Promise<void> {
    const over = request.then(() => true);
    for (;;) {
      // The server responds to this after its other work, so that a request that is still open waits for time.
      await this.now();
      if (await Promise.race([over, sleep(patience, false)])) return;
      await this.pass(5_000);
    }
  }

  async pass(milliseconds: number): Promise<void> {
    if (milliseconds > 0) await this.#advance(Math.ceil(milliseconds));
  }

  /** Moves the clock of the target and returns its time. */
  async #advance(advance_ms: number): Promise<number> {
    const { now } = await this.#control.post("clock", { advance_ms });
    return Number(now);
  }
}
