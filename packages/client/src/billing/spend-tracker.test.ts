import { expect, it } from "vitest";

import { Budget } from "./budget.ts";
import { Charge } from "./spend-tracker.ts";

const steps = {
  start: (charge: Charge, budget: Budget) => charge.start([budget]),
  made: (charge: Charge) => charge.end(true),
  none: (charge: Charge) => charge.end(false),
  job: (charge: Charge) => charge.setJob(false),
  elsewhere: (charge: Charge) => charge.setJob(true),
  price: (charge: Charge) => charge.setCost(),
  five: (charge: Charge) => charge.setCost(5),
};

it.each<[(keyof typeof steps)[], number, number]>([
  [[], 0, 0],
  [["start"], 0, 8],
  [["start", "none"], 0, 0],
  [["start", "made"], 0, 8],
  [["start", "made", "job"], 0, 8],
  [["start", "made", "job", "price"], 8, 0],
  [["start", "made", "job", "five"], 5, 0],
  [["start", "made", "job", "price", "five"], 5, 0],
  [["start", "made", "elsewhere"], 0, 0],
  [["start", "made", "elsewhere", "five"], 0, 0],
  // A replay: an earlier submission has made the job.
  [["start", "none", "job", "five"], 0, 0],
  [["start", "start", "none"], 0, 8],
  [["start", "start", "made"], 0, 8],
  [["start", "start", "made", "none"], 0, 8],
  [["start", "start", "none", "job", "five"], 0, 5],
  [["start", "start", "made", "job", "five", "none"], 5, 0],
  [["start", "none", "start", "made"], 0, 8],
])("a charge of 8 credits after %j has %i spent and %i reserved", (names, spent, reserved) => {
  const charge = new Charge(8, 0);
  const budget = new Budget({ maxCredits: 100 });
  for (const name of names) steps[name](charge, budget);
  expect(budget).toMatchObject({ spent, reserved });
  expect(charge.isIn(budget)).toBe(spent + reserved > 0);
});

it("a charge counts in each budget of its submissions, until it is released", () => {
  const charge = new Charge(8, 0);
  const [first, second, third] = [1, 2, 3].map(() => new Budget({ maxCredits: 100 }));
  if (!first || !second || !third) throw new Error("A budget is missing.");
  charge.start([first]);
  charge.start([second]);
  expect([first.reserved, second.reserved]).toEqual([8, 8]);
  charge.end(false);
  charge.end(false);
  charge.start([third]);
  expect([first.reserved, second.reserved, third.reserved]).toEqual([0, 0, 8]);
});
