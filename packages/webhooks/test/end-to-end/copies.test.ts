import { describe, expect, it } from "vitest";
import { allViolations, plansUpTo } from "./faults.ts";
import { runTime, startScenarios } from "./run-scenarios.ts";

const claimTtl = 7_500;

describe.each(["same", "resigned"] as const)("with the %s body for each attempt", (webhookBody) => {
  it("does not handle a replayed or duplicated event again after any fault", async () => {
    const run = await startScenarios({ webhookBody, claimTtl }, plansUpTo(2));
    const { mock, outcomes } = run;
    await mock.clock.advance(runTime);
    const before = await outcomes();
    for (const id of await run.deliveryIds()) {
      for (const method of ["replay", "duplicate"] as const) {
        const { attempts } = await mock.webhooks[method](id);
        expect(attempts, method).toMatchObject([{ status: 204 }]);
      }
    }
    expect(await outcomes()).toEqual(before);
    expect(allViolations(before)).toEqual([]);
    mock.close();
  });

  it("does not handle a copy while the event is being handled", async () => {
    const { mock, outcomes, deliveryIds } = await startScenarios({ webhookBody, claimTtl }, [
      ["hangs and ends"],
      ["hangs and fails"],
    ]);
    await mock.clock.advance("5s");
    const copies = (await deliveryIds()).flatMap((id) => [
      mock.webhooks.replay(id),
      mock.webhooks.duplicate(id),
    ]);
    await mock.clock.advance(runTime);
    const statuses = (await Promise.all(copies)).map(({ attempts }) => attempts.at(-1)?.status);
    // A replay is one attempt and waits like any other.
    expect(statuses).toEqual([204, 204, 204, 204]);
    expect(allViolations(await outcomes())).toEqual([]);
    mock.close();
  });

  it("rejects a forgery before the handler, for a handled and for an unhandled event", async () => {
    const plans = [[], ["fails", "fails", "fails", "fails"]] as const;
    const run = await startScenarios({ webhookBody, claimTtl }, plans);
    const { mock, outcomes } = run;
    await mock.clock.advance(runTime);
    const before = await outcomes();
    for (const id of await run.deliveryIds()) {
      const { attempts, state } = await mock.webhooks.tamper(id);
      expect(attempts).toMatchObject([{ status: 400 }]);
      expect(state).toBe("given-up");
    }
    expect(await outcomes()).toEqual(before);
    expect(before.map(({ completions }) => completions)).toEqual([1, 0]);
    mock.close();
  });
});
