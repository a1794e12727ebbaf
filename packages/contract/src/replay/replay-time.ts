import { setTimeout as sleep } from "node:timers/promises";

import type { Control } from "../target/control.ts";

/** Time of a replay. */
export interface ReplayTime {
  /** Returns the time of the target in milliseconds since 1970, as far as it is known. */
  now(): number;
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

  now(): number {
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
  #start: number;
  /** Time of the recording at the start. */
  readonly #recorded: number;
  /** Difference between the clock of the target and that of this machine. */
  #offset = 0;

  private constructor(control: Control, now: number, recorded: number) {
    this.#control = control;
    this.#start = now;
    this.#recorded = recorded;
    this.#offset = now - Date.now();
  }

  /** Moves the clock to the same part of a minute as in the recording, for the same windows of rate limits. */
  static async start(control: Control, recorded: number): Promise<ReferenceTime> {
    const { now } = await control.post("clock", { advance_ms: 0 });
    const ahead = (((Math.ceil(recorded) - Number(now)) % window) + window) % window;
    const moved = await control.post("clock", { advance_ms: Math.floor(ahead) });
    return new ReferenceTime(control, Number(moved["now"]), recorded);
  }

  now(): number {
    return Date.now() + this.#offset;
  }

  async moveTo(recorded: number): Promise<void> {
    const ahead = this.#start + recorded - this.#recorded - this.now();
    // A request that took longer than its recording delays all later ones, which keeps the time between them.
    if (ahead < -tolerance) this.#start -= ahead;
    await this.pass(ahead);
  }

  async until(request: Promise<void>): Promise<void> {
    const over = request.then(() => true);
    while (!(await Promise.race([over, sleep(patience, false)]))) await this.pass(5_000);
  }

  async pass(milliseconds: number): Promise<void> {
    const advance_ms = Math.ceil(milliseconds);
    if (advance_ms <= 0) return;
    const { now } = await this.#control.post("clock", { advance_ms });
    this.#offset = Number(now) - Date.now();
  }
}
