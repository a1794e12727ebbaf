import { expect, it } from "vitest";

import { Budget } from "./budget.ts";
import { Charge } from "./charge.ts";

const steps = {
  start: (charge: Charge, budget: Budget) => charge.start(charge.isIn(budget) ? [] : [budget]),
  made: (charge: Charge) => charge.end(true),
  none: (charge: Charge) => charge.end(false),
  job: (charge: Charge) => charge.setJob("job_1", false),
  elsewhere: (charge: Charge) => charge.setJob("job_1", true),
  price: (charge: Charge) => charge.setCost(),
  five: (charge: Charge) => charge.setCost(5),
};

it.each<[(keyof typeof steps)[], string, number, number]>([
  [[], "released", 0, 0],
  [["start"], "reserved", 0, 8],
  [["start", "none"], "released", 0, 0],
  [["start", "made"], "unknown", 0, 8],
  [["start", "made", "job"], "reserved", 0, 8],
  [["start", "made", "job", "price"], "charged", 8, 0],
  [["start", "made", "job", "five"], "charged", 5, 0],
  [["start", "made", "job", "price", "five"], "charged", 5, 0],
  [["start", "made", "elsewhere"], "released", 0, 0],
  [["start", "made", "elsewhere", "five"], "released", 0, 0],
  // A replay: an earlier submission has made the job.
  [["start", "none", "job", "five"], "released", 0, 0],
  [["start", "start", "none"], "reserved", 0, 8],
  [["start", "start", "made"], "reserved", 0, 8],
  [["start", "start", "made", "none"], "unknown", 0, 8],
  [["start", "start", "made", "job", "five", "none"], "charged", 5, 0],
  [["start", "none", "start", "made"], "unknown", 0, 8],
])("a charge of 8 credits after %j is %s, with %i spent and %i reserved", (...row) => {
  const [names, state, spent, reserved] = row;
  const charge = new Charge(8, 0);
  const budget = new Budget({ maxCredits: 100 });
  for (const name of names) steps[name](charge, budget);
  expect(charge.state).toBe(state);
  expect(budget).toMatchObject({ spent, reserved });
  expect(charge.isIn(budget)).toBe(state !== "released");
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
