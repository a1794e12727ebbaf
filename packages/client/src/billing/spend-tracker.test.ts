import { expect, it } from "vitest";

import { Budget } from "../index.ts";
import { createContexts, type ClientContext } from "../jobs/client-context.ts";
import { accountBody } from "../../test/http-server.ts";
import type { Counted } from "../types/budget.ts";
import type { Charge } from "./spend-tracker.ts";

const options = {
  apiKey: "svc_live_key",
  baseUrl: "https://tryon.example",
  fetch: async () => new Response(accountBody),
};

/** Runs work with the tracker of a client. */
function withTracker(
  work: (
    tracker: ClientContext["spendTracker"],
    reserve: (key: string, budgets: readonly Counted[], earlier?: Charge) => Promise<Charge>,
  ) => Promise<void>,
): Promise<void> {
  const contexts = createContexts(options);
  return contexts.within({}, "10s", ({ spendTracker }, deadline) =>
    work(spendTracker, (idempotencyKey, budgets, earlier) =>
      spendTracker.reserve({ size: "1K", idempotencyKey, budgets }, deadline, earlier),
    ),
  );
}

const job = { job_id: "job_1", status: "running" };
const other = { job_id: "job_2", status: "running" };

it.each<[string, number, number]>([
  ["start", 0, 8],
  ["start, none", 0, 0],
  ["start, made", 0, 8],
  ["start, made, job", 0, 8],
  ["start, made, job, end", 8, 0],
  ["start, made, job, five", 5, 0],
  ["start, made, job, end, five", 5, 0],
  ["start, made, elsewhere", 0, 0],
  ["start, made, elsewhere, five", 0, 0],
  // A replay: an earlier submission has made the job.
  ["start, none, job, five", 0, 0],
  ["start, start, none", 0, 8],
  ["start, start, made", 0, 8],
  ["start, start, made, none", 0, 8],
  ["start, start, made, job, five, none", 5, 0],
  ["start, start, elsewhere, none, none", 0, 0],
  ["start, none, start, made", 0, 8],
])("a charge of 8 credits after %s has %i spent and %i reserved", (names, spent, reserved) =>
  withTracker(async (tracker, reserve) => {
    const budget = new Budget({ maxCredits: 100 });
    tracker.recordFound(await reserve("b", []), other);
    let charge: Charge | undefined;
    for (const name of names.split(", ")) {
      if (name === "start") charge = await reserve("a", [budget], charge);
      else if (!charge) throw new Error("The first step is not start.");
      else if (name === "made" || name === "none") tracker.recordFailure(charge, name === "made");
      else if (name === "job") tracker.recordFound(charge, job);
      else if (name === "elsewhere") tracker.recordFound(charge, other);
      else if (name === "end") tracker.recordJob({ ...job, status: "failed" });
      else for (const one of [job, other]) tracker.recordJob({ ...one, cost_credits: 5 });
    }
    expect(budget).toMatchObject({ spent, reserved });
  }),
);

it("a charge counts in each budget of its submissions, until it is released", () =>
  withTracker(async (tracker, reserve) => {
    const budgets = [1, 2, 3].map(() => new Budget({ maxCredits: 100 }));
    const reserved = () => budgets.map((budget) => budget.reserved);
    const charge = await reserve("a", budgets.slice(0, 1));
    await reserve("a", budgets.slice(1, 2));
    expect(reserved()).toEqual([8, 8, 0]);
    tracker.recordFailure(charge, false);
    tracker.recordFailure(charge, false);
    await reserve("a", budgets.slice(2));
    expect(reserved()).toEqual([0, 0, 8]);
  }));

it("one idempotency key counts once while it is one of the 10,000 latest", () =>
  withTracker(async (_tracker, reserve) => {
    const first = await reserve("first", []);
    for (let count = 1; count < 10_000; count += 1) await reserve(`${count}`, []);
    expect(await reserve("first", [])).toBe(first);
    await reserve("last", []);
    expect(await reserve("first", [])).not.toBe(first);
  }));
