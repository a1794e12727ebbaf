import type { Peers } from "./client/peers.ts";
import type { Processes } from "./processes.ts";

/** What a figure counts. */
export type Unit =
  | "calls a second"
  | "ms"
  | "µs"
  | "ns"
  | "bytes"
  | "times"
  | "standard errors"
  | "s"
  | "requests"
  | "answers";

/** One line of a table: the same thing measured several times. */
export interface Row {
  readonly what: string;
  readonly unit: Unit;
  /** Empty when it could not be measured; `note` then says why. */
  readonly figures: readonly number[];
  readonly note?: string;
}

/** What one of the figures has to come to. */
export interface Goal {
  /** The row that it is about, by its `what`. */
  readonly row: string;
  readonly kind: "at least" | "at most";
  readonly bound: number;
}

/** Several figures for each of several things, where rows would be too many. */
export interface Table {
  /** What the columns hold; the first has the names of the lines. */
  readonly head: readonly string[];
  readonly lines: readonly (readonly string[])[];
}

/** What was found about a subject. */
export interface Findings {
  readonly rows: readonly Row[];
  /** Shown before the rows. */
  readonly tables?: readonly Table[];
  /** What bounds a goal that is missed, or how to read the figures. */
  readonly remarks?: readonly string[];
}

/** What every subject is given. */
export interface Bench {
  readonly processes: Processes;
  /** The folder of the repository. */
  readonly root: string;
  /** The folder of the client package that is measured. */
  readonly client: string;
  /** The peers of the client, which are installed at the first call. */
  peers(): Promise<Peers>;
}

/** Something that is measured. */
export interface Subject {
  /** What it is called on the command line. */
  readonly name: string;
  readonly title: string;
  /** How it is measured, in whole sentences. */
  readonly how: string;
  readonly goals?: readonly Goal[];
  measure(bench: Bench): Promise<Findings>;
}
