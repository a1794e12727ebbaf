import { expect, it, describe } from "vitest";
import { allViolations } from "./delivery-record.ts";
import { longEnough, runScenario } from "./scenario-run.ts";
import { plansUpTo } from "./faults.ts";

const claimTtl = 7_500;

describe.each(["same", "resigned"] as const)("with the %s body", (webhookBody) => {
  it("an event that was handled is not handled again, replayed or duplicated, whatever befell it", async () => {
    const { mock, fates, deliveryIds } = await runScenario({ webhookBody, claimTtl }, plansUpTo(2));
    await mock.clock.advance(longEnough);
    const before = await fates();
    for (const id of await deliveryIds()) {
      for (const way of ["replay", "duplicate"] as const) {
        const { attempts } = await mock.webhooks[way](id);
        expect(attempts, way).toMatchObject([{ status: 204 }]);
      }
    }
    expect(await fates()).toEqual(before);
    expect(allViolations(before)).toEqual([]);
    mock.close();
  });

  it("an event that is being handled is not handled a second time, replayed or duplicated", async () => {
    const { mock, fates, deliveryIds } = await runScenario({ webhookBody, claimTtl }, [
      ["hangs and ends"],
      ["hangs and fails"],
    ]);
    await mock.clock.advance("5s");
    const copies = (await deliveryIds()).flatMap((id) => [
      mock.webhooks.replay(id),
      mock.webhooks.duplicate(id),
    ]);
    await mock.clock.advance(longEnough);
    const statuses = (await Promise.all(copies)).map(({ attempts }) => attempts.at(-1)?.status);
    // A replay is one attempt, and waits for what is under way as long as any.
    expect(statuses).toEqual([204, 204, 204, 204]);
    expect(allViolations(await fates())).toEqual([]);
    mock.close();
  });

  it("a forgery is refused before it reaches the handler, of an event that was handled and of one that was not", async () => {
    const fails = ["fails", "fails", "fails", "fails"] as const;
    const { mock, fates, deliveryIds } = await runScenario({ webhookBody, claimTtl }, [[], fails]);
    await mock.clock.advance(longEnough);
    const before = await fates();
    for (const id of await deliveryIds()) {
      const { attempts, state } = await mock.webhooks.tamper(id);
      expect(attempts).toMatchObject([{ status: 400 }]);
      expect(state).toBe("given-up");
    }
    expect(await fates()).toEqual(before);
    expect(before.map(({ ends }) => ends)).toEqual([1, 0]);
    mock.close();
  });
});
