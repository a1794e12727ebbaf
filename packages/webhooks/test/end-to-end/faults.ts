/** What can befall one attempt of a delivery. */
export type Fault =
  | "fails"
  | "hangs and ends"
  | "hangs and fails"
  | "redirects"
  | "is down"
  | "is killed"
  | "is killed before the note"
  | "hangs and is killed";

/** What can befall an event, one after the other. The service makes four attempts. */
export type Plan = readonly Fault[];

/** How many of the four attempts each trouble takes up. */
export type Weights = Readonly<Record<Fault, number>>;

/** Where only the attempt is lost that has the trouble; the one that waits for a handler dies with it. */
const ownAttempt: Weights = {
  fails: 1,
  "hangs and ends": 1,
  "hangs and fails": 1,
  redirects: 1,
  "is down": 1,
  "is killed": 1,
  "is killed before the note": 1,
  "hangs and is killed": 2,
};

/** Where the claim of a dead process also outlasts the wait of the next attempt. */
export const oneMoreForKills: Weights = {
  ...ownAttempt,
  "is killed": 2,
  "is killed before the note": 2,
  "hangs and is killed": 3,
};

/** Every order of troubles that take up no more than `most` attempts, that of none included. */
export function plansUpTo(most: number, weights: Weights = ownAttempt): readonly Plan[] {
  // The keys of a record of all troubles are all troubles.
  const troubles = Object.keys(weights) as Fault[];
  const first = troubles.filter((trouble) => weights[trouble] <= most);
  return [
    [],
    ...first.flatMap((trouble) =>
      plansUpTo(most - weights[trouble], weights).map((rest) => [trouble, ...rest]),
    ),
  ];
}

/** Whether it happens before the receiver has the event. */
export function isOnTheWay(trouble: Fault | undefined): trouble is "redirects" | "is down" {
  return trouble === "redirects" || trouble === "is down";
}
