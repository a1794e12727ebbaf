import type { BatchItem } from "@tryon/client/batch";

/** Moments at which the program stands still, so that it is killed in no other. */
export const programMoments = [
  "before it is written down",
  "before the POST",
  "the answer has arrived",
  "before the job is written down",
] as const;

/** Moments that the service sees come. */
export const serviceMoments = [
  "a part has arrived",
  "it has arrived and is lost",
  "it has arrived and is made later",
  "it is being made",
  "the answer is under way",
] as const;

/** When in the life of an item the program is killed that has it made. */
export type Moment = (typeof programMoments)[number] | (typeof serviceMoments)[number];

/** The moments before a POST, during it and after it: while its end is not written down. */
export const phases = {
  before: ["before the POST"],
  during: [
    "a part has arrived",
    "it has arrived and is lost",
    "it has arrived and is made later",
    "it is being made",
  ],
  after: ["the answer is under way", "the answer has arrived", "before the job is written down"],
} as const satisfies Readonly<Record<string, readonly Moment[]>>;

/** A clock that runs faster than the machine's, the same in all processes. */
export interface FastTime {
  /** What it showed when the machine's showed `begun`. */
  readonly start: number;
  readonly begun: number;
  readonly speed: number;
  /** By how much it was put forward since. */
  ahead: number;
}

export function timeNow({ start, begun, speed, ahead }: FastTime): number {
  return start + (Date.now() - begun) * speed + ahead;
}

/** What the program is to do. */
export interface Orders {
  readonly url: string;
  readonly apiKey: string;
  /** Where its journal is. */
  readonly path: string;
  /** `in memory`: a journal that promises what it has not written yet, and writes it when it is closed. */
  readonly journal: "on disk" | "in memory";
  readonly sync: boolean;
  readonly concurrency: number;
  readonly time: FastTime;
  readonly items: readonly Item[];
}

/** One item, and when the program is still to be killed for it. */
export interface Item {
  readonly id: string;
  readonly moment?: Moment | undefined;
  /** Whether it is so large that a part of it can arrive and not the rest. */
  readonly isLarge?: boolean | undefined;
}

/** How one ended: with its result, or with the code of its error. */
export interface Ended extends Pick<BatchItem<Item>, "id" | "fromJournal"> {
  readonly how: string;
}

/** What the program says. */
export type Said =
  | { readonly stands: string; readonly moment: Moment }
  | { readonly ended: readonly Ended[] };

/** The header that says which item a submission is of, for the service that kills. */
export const itemHeader = "x-item";
