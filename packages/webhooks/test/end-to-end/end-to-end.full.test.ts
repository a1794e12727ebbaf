import { describe, expect, it } from "vitest";
import { allViolations, longClaimCosts, plansUpTo, type FaultPlan } from "./faults.ts";
import { runScenarios } from "./run-scenarios.ts";

const upToThree = plansUpTo(3);

describe.each(["same", "resigned"] as const)("with the %s body for each attempt", (webhookBody) => {
  it("handles every event under every order of three faults with claims of less than 9 s", async () => {
    const outcomes = await runScenarios({ webhookBody, claimTtl: 7_500 }, upToThree);
    expect(outcomes).toHaveLength(415);
    expect(allViolations(outcomes)).toEqual([]);
    expect(outcomes.every(({ attempts }) => attempts.at(-1) === 204)).toBe(true);
    // All planned faults occur, except after a completion.
    const complete = outcomes.filter(({ plan }) => !plan.includes("hangs and ends"));
    expect(complete.every(({ plan, faults }) => faults === plan.length)).toBe(true);
    const repeated = outcomes.filter(({ completions }) => completions > 1);
    expect(repeated).toHaveLength(upToThree.filter(losesCompletion).length);
  });

  it("handles every event with claims of 15 s when a kill counts as two faults", async () => {
    const plans = plansUpTo(3, longClaimCosts);
    const outcomes = await runScenarios({ webhookBody, claimTtl: 15_000 }, plans);
    expect(plans).toHaveLength(179);
    expect(allViolations(outcomes)).toEqual([]);
    expect(outcomes.every(({ attempts }) => attempts.at(-1) === 204)).toBe(true);
  });
});

it("handles every event when each handler takes 1.5 s before its fault", async () => {
  const settings = { webhookBody: "resigned", claimTtl: 7_500, handlerTime: 1_500 } as const;
  expect(allViolations(await runScenarios(settings, upToThree))).toEqual([]);
});

/** Returns true if a process is killed between a completion and `done`. A handler that hangs and ends comes last. */
function losesCompletion(plan: FaultPlan): boolean {
  const ended = plan.indexOf("hangs and ends");
  return plan.slice(0, ended === -1 ? undefined : ended).includes("is killed before done");
}

it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9.9])(
  "loses only one attempt to a kill %s s after the start of a handler, with claims of less than 9 s",
  async (seconds) => {
    const handlerTime = seconds * 1_000;
    const outcomes = await runScenarios({ webhookBody: "resigned", claimTtl: 7_500, handlerTime }, [
      ["is killed"],
      ["is killed before done"],
    ]);
    expect(allViolations(outcomes)).toEqual([]);
    expect(outcomes.map(({ attempts }) => attempts.includes(503))).toEqual([false, false]);
  },
);

it("loses at most one more attempt to a kill with claims of 15 s", async () => {
  const outcomes = await runScenarios({ webhookBody: "resigned", claimTtl: 15_000 }, [
    ["is killed"],
    ["fails", "is killed"],
    ["fails", "fails", "is killed"],
  ]);
  expect(outcomes.map(({ attempts }) => attempts)).toEqual([
    [null, 503, 204],
    [500, null, 503, 204],
    [500, 500, null, 204],
  ]);
});
