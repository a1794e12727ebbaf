import { describe, expect, it } from "vitest";
import { allViolations } from "./delivery-record.ts";
import { runAll } from "./scenario-run.ts";
import { oneMoreForKills, plansUpTo } from "./faults.ts";
import type { Plan, Fault } from "./faults.ts";

const webhookBodies = ["same", "resigned"] as const;
const upToThree = plansUpTo(3);

describe.each(webhookBodies)("events of which each attempt has the %s body", (webhookBody) => {
  it("are handled to their end under every order of three troubles, with claims of less than 9 s", async () => {
    const fates = await runAll({ webhookBody, claimTtl: 7_500 }, upToThree);
    expect(fates).toHaveLength(415);
    expect(allViolations(fates)).toEqual([]);
    expect(fates.every(({ attempts }) => attempts.at(-1) === 204)).toBe(true);
    // What was planned has happened, unless the event had come to its end before.
    const whole = fates.filter(({ plan }) => !plan.includes("hangs and ends"));
    expect(whole.every(({ plan, troubles }) => troubles === plan.length)).toBe(true);
    const twice = fates.filter(({ ends }) => ends > 1);
    expect(twice).toHaveLength(upToThree.filter(endsUnnotedAndAgain).length);
  });

  it("are so with claims of 15 s where the attempt after a kill counts as a trouble", async () => {
    const plans = plansUpTo(3, oneMoreForKills);
    const fates = await runAll({ webhookBody, claimTtl: 15_000 }, plans);
    expect(plans).toHaveLength(179);
    expect(allViolations(fates)).toEqual([]);
    expect(fates.every(({ attempts }) => attempts.at(-1) === 204)).toBe(true);
  });
});

it("are handled so, too, when handlers have been at work for a while before it happens", async () => {
  const setting = { webhookBody: "resigned", claimTtl: 7_500, work: 1_500 } as const;
  expect(allViolations(await runAll(setting, upToThree))).toEqual([]);
});

/** Whether a kill falls between an end and its note: after a handler that ends there is none to fall on. */
function endsUnnotedAndAgain(plan: Plan): boolean {
  const ended = plan.indexOf("hangs and ends");
  return plan.slice(0, ended === -1 ? undefined : ended).includes("is killed before the note");
}

describe("a kill", () => {
  const kills: readonly Fault[] = ["is killed", "is killed before the note"];

  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9.9])(
    "%s s after the beginning of a handler costs its own attempt, with claims of less than 9 s",
    async (seconds) => {
      const setting = { webhookBody: "resigned", claimTtl: 7_500, work: seconds * 1_000 } as const;
      const fates = await runAll(
        setting,
        kills.map((kill) => [kill]),
      );
      expect(allViolations(fates)).toEqual([]);
      expect(fates.map(({ attempts }) => attempts.includes(503))).toEqual([false, false]);
    },
  );

  it("costs the next attempt, too, with claims of 15 s, and no more than that", async () => {
    const fates = await runAll({ webhookBody: "resigned", claimTtl: 15_000 }, [
      ["is killed"],
      ["fails", "is killed"],
      ["fails", "fails", "is killed"],
    ]);
    expect(fates.map(({ attempts }) => attempts)).toEqual([
      [null, 503, 204],
      [500, null, 503, 204],
      [500, 500, null, 204],
    ]);
  });
});
