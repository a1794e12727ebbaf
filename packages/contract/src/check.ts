import type { Session } from "./session.ts";

/**
 * How far a run goes. `safe`: on a test key nothing is charged. `paid`: what only a live key can show, too. `full`: slow
 * things as well, such as the 90 s limit, the schedule of retries and what expires.
 */
export const levels = ["safe", "paid", "full"] as const;
/**
 * How far a run goes, see `levels`.
 *
 * @useDeclaredType
 */
export type Level = (typeof levels)[number];

/** Which key a check works on: any one, or one of a kind. */
export type KeyKind = "any" | "live" | "test";

/** One thing that a deployment has to do. */
export interface Check {
  /** Words with dots between them, from the general to the particular, such as `idempotency.replay.charges-nothing`. */
  readonly id: string;
  /** What a deployment that keeps it does, as a sentence without a subject of the kit. */
  readonly title: string;
  /** The rules of `spec/rules.json` that it shows. */
  readonly rules: readonly string[];
  readonly level: Level;
  /** Which key it works on. */
  readonly on: KeyKind;
  /** The most credits that it may spend when that key is a live one. */
  readonly credits: number;
  /** @throws Broken when the deployment does something else, Skip when it cannot be seen here. */
  readonly run: (session: Session) => Promise<void>;
}

/** One open point of the service's document, and how it is seen which way a deployment goes. */
export interface Probe extends Omit<Check, "run"> {
  /** The option of the reference server that the point is. */
  readonly option: string;
  /**
   * @returns the value that the deployment has, or undefined when this run could not tell.
   * @throws Broken when it does what no value of the option is, Skip when it cannot be seen here.
   */
  readonly observe: (session: Session) => Promise<OptionValue | undefined>;
}

/** A value of an option. */
export type OptionValue = string | number | boolean;
