import type { Plan } from "./faults.ts";

/** What became of one event. */
export interface DeliveryRecord {
  readonly plan: Plan;
  readonly jobId: string;
  /** How often its handler came to its end. */
  readonly ends: number;
  /** How often its receiver was killed between that and the note of it. */
  readonly endsUnnoted: number;
  /** How many handlers of it were at work at once, at most. */
  readonly mostAtOnce: number;
  /** How many of the planned troubles happened. */
  readonly troubles: number;
  /** What the service saw of each attempt: a status, or null where it got no answer. */
  readonly attempts: readonly (number | null)[];
}

/**
 * What must not become of an event, in words: nothing, where it was handled to its end, never twice
 * at a time, and again only where a kill fell between the end of its handler and the note of it.
 */
export function violations({ ends, endsUnnoted, mostAtOnce }: DeliveryRecord): readonly string[] {
  return [
    ...(ends === 0 ? ["never handled to its end"] : []),
    ...(ends > 0 && ends === endsUnnoted ? ["handled, and never noted"] : []),
    ...(ends - endsUnnoted > 1 ? ["handled again after the note"] : []),
    ...(mostAtOnce > 1 ? ["handled twice at a time"] : []),
  ];
}

/** The wrongs of many events, each with the troubles of its event. */
export function allViolations(fates: readonly DeliveryRecord[]): readonly string[] {
  return fates.flatMap((fate) =>
    violations(fate).map((wrong) => `${fate.plan.join(", then ") || "no trouble"}: ${wrong}`),
  );
}
