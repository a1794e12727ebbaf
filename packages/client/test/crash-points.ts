import type { BatchItem } from "@tryon/client/batch";

/** Points at which the program waits until it is killed. */
export const programCrashPoints = [
  "before the entry is written",
  "before the POST",
  "after the response",
  "before the job is written",
] as const;

/** Points at which the service kills the program. */
export const serviceCrashPoints = [
  "during the upload",
  "after the upload, request lost",
  "after the upload, job created later",
  "after the charge",
  "before the response",
] as const;

/** Point in the processing of an item at which the program is killed. */
export type CrashPoint = (typeof programCrashPoints)[number] | (typeof serviceCrashPoints)[number];

/** Crash points before, during and after the POST, until its outcome is written. */
export const phases = {
  before: ["before the POST"],
  during: [
    "during the upload",
    "after the upload, request lost",
    "after the upload, job created later",
    "after the charge",
  ],
  after: ["before the response", "after the response", "before the job is written"],
} as const satisfies Readonly<Record<string, readonly CrashPoint[]>>;

/** Clock that runs faster than the system clock, the same in all processes. */
export interface FastTime {
  /** Time at `startedAt` of the system clock. */
  readonly start: number;
  readonly startedAt: number;
  readonly speed: number;
  /** Time by which it was advanced since, in milliseconds. */
  offset: number;
}

export function timeNow({ start, startedAt, speed, offset }: FastTime): number {
  return start + (Date.now() - startedAt) * speed + offset;
}

/** Settings of the program. */
export interface BatchSettings {
  readonly url: string;
  readonly apiKey: string;
  /** Path of the journal. */
  readonly path: string;
  /** `in memory`: a broken journal, which writes its entries only when it is closed. */
  readonly journal: "on disk" | "in memory";
  readonly sync: boolean;
  readonly concurrency: number;
  readonly time: FastTime;
  readonly items: readonly Item[];
}

/** One item, and the point at which the program is killed for it. */
export interface Item {
  readonly id: string;
  readonly crashPoint?: CrashPoint | undefined;
  /** If true, the input is large enough for a partial upload. */
  readonly isLarge?: boolean | undefined;
}

/** Outcome of an item: "succeeded" or an error code. */
export interface ItemReport extends Pick<BatchItem<Item>, "id" | "fromJournal"> {
  readonly outcome: string;
}

/** Message of the program. */
export type ProgramMessage =
  | { readonly waiting: string; readonly crashPoint: CrashPoint }
  | { readonly ended: readonly ItemReport[] };

/** Request header with the id of the item. */
export const itemHeader = "x-item";
