export type Fault =
  | "fails"
  | "hangs and ends"
  | "hangs and fails"
  | "redirects"
  | "is down"
  | "is killed"
  | "is killed before done"
  | "hangs and is killed";

/** Faults of an event, in order. The service makes four attempts. */
export type FaultPlan = readonly Fault[];

export type FaultCosts = Readonly<Record<Fault, number>>;

/** Costs with claims of less than 9 s. An attempt that waits for a handler is lost with its process. */
const shortClaimCosts: FaultCosts = {
  fails: 1,
  "hangs and ends": 1,
  "hangs and fails": 1,
  redirects: 1,
  "is down": 1,
  "is killed": 1,
  "is killed before done": 1,
  "hangs and is killed": 2,
};

/** Costs with claims of 15 s, which outlast the wait of the next attempt. */
export const longClaimCosts: FaultCosts = {
  ...shortClaimCosts,
  "is killed": 2,
  "is killed before done": 2,
  "hangs and is killed": 3,
};

/** Every order of faults that cost at most `maxAttempts`, including no fault. */
export function plansUpTo(maxAttempts: number, costs = shortClaimCosts): readonly FaultPlan[] {
  // The record has every fault as a key.
  const faults = Object.keys(costs) as Fault[];
  const possible = faults.filter((fault) => costs[fault] <= maxAttempts);
  return [
    [],
    ...possible.flatMap((fault) =>
      plansUpTo(maxAttempts - costs[fault], costs).map((rest) => [fault, ...rest]),
    ),
  ];
}
