import type { Processes } from "./processes.ts";

/** What a figure counts. */
export type Unit = "calls a second" | "ms" | "µs" | "times";

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

/** What was found about a subject. */
export interface Findings {
  readonly rows: readonly Row[];
  /** What bounds a goal that is missed, or how to read the figures. */
  readonly remarks?: readonly string[];
}

/** What every subject is given. */
export interface Bench {
  readonly processes: Processes;
  /** The folder of the repository. */
  readonly root: string;
}

/** Something that is measured. */
export interface Subject {
  readonly title: string;
  /** How it is measured, in whole sentences. */
  readonly how: string;
  readonly goal?: Goal;
  measure(bench: Bench): Promise<Findings>;
}
