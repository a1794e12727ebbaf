import { describe, expect, it } from "vitest";

import { Budget, isTryOnError, type TryOnError } from "../index.ts";
import {
  answering,
  createWorld,
  cut,
  input,
  profiles,
  silence,
  type World,
} from "../testing/world.ts";

/** What the ledger of the key says was charged and not given back. */
async function charged({ mock }: World): Promise<number> {
  return 1_000 - ((await mock.ledger(mock.keys.live))?.balance ?? 0);
}

const failing = { ...input, prompt: "mock:model_rejected" };
const accounts = ({ sent }: World): number =>
  sent.filter(({ path }) => path.endsWith("/account")).length;

function code(error: unknown): TryOnError {
  if (isTryOnError(error)) return error;
  throw error;
}

describe.each(profiles)("a budget under the profile %s", (profile) => {
  it("refuses before sending what does not fit, and says why", async () => {
    const budget = new Budget({ maxCredits: 20 });
    const world = createWorld({ profile });
    const { run, error, client, submissions } = world;
    const tryon = client({ budget });
    await run(tryon.run({ ...input, output_size: "2K" }));
    expect(budget.toJSON()).toEqual({ maxCredits: 20, spent: 12, reserved: 0, left: 8 });
    const before = submissions().length;
    const refused = await error(tryon.run({ ...input, size: "2k" } as typeof input));
    expect(refused).toMatchObject({
      code: "budget_exceeded",
      cost: 12,
      spent: 12,
      reserved: 0,
      maxCredits: 20,
      attempts: [],
      hint: expect.stringContaining("raise maxCredits"),
    });
    expect(String(refused)).toContain("20 credits does not hold another 12");
    expect(submissions()).toHaveLength(before);
    await run(tryon.run(input));
    expect(budget.left).toBe(0);
    expect(await charged(world)).toBe(20);
  });
});

describe("a budget", () => {
  it("counts what is in flight", async () => {
    const budget = new Budget({ maxCredits: 20 });
    const world = createWorld();
    const tryon = world.client({ budget });
    const calls = Array.from({ length: 5 }, () => tryon.run(input).catch(code));
    const ended = await world.run(Promise.all(calls));
    const refused = ended.filter((one) => isTryOnError(one, "budget_exceeded"));
    expect(refused).toHaveLength(3);
    expect(refused[0]).toMatchObject({ spent: 0, reserved: 16 });
    expect(await charged(world)).toBe(16);
    expect(budget).toMatchObject({ spent: 16, reserved: 0, left: 4 });
  });

  it("holds beside that of the client, for the call that is given it", async () => {
    const own = new Budget({ maxCredits: 100 });
    const shared = new Budget({ maxCredits: 10 });
    const { run, error, client } = createWorld();
    const tryon = client({ budget: own });
    await run(tryon.run(input, { budget: shared }));
    expect(await error(tryon.submit(input, { budget: shared }))).toMatchObject({ maxCredits: 10 });
    await run(tryon.submit(input));
    expect(await error(tryon.submit(input, { budget: { maxCredits: 7 } }))).toMatchObject({
      code: "budget_exceeded",
      maxCredits: 7,
      cost: 8,
    });
    expect([own.left, shared.left]).toEqual([84, 2]);
  });

  it("gives back what was proved not to have happened", async () => {
    const budget = new Budget({ maxCredits: 8 });
    const { run, error, client, faults } = createWorld({}, {});
    const tryon = client({ budget, retries: 0 });
    // The account is asked for before the first submission.
    faults.push(undefined);
    const refusals = [
      answering(402, { detail: "no" }),
      answering(422, { detail: [] }),
      cut.refused,
    ];
    for (const refusal of refusals) {
      faults.push(refusal);
      await error(tryon.submit(input));
      expect(budget).toMatchObject({ spent: 0, reserved: 0, left: 8 });
    }
    await run(tryon.submit(input));
  });

  it("keeps what may have happened until recover() knows", async () => {
    const budget = new Budget({ maxCredits: 20 });
    const world = createWorld();
    const { run, error, client, faults } = world;
    const tryon = client({ budget, retries: 0 });
    faults.push(undefined, cut.after);
    const unknown = await error(tryon.submit(input));
    if (!isTryOnError(unknown, "outcome_unknown")) throw unknown;
    expect(budget).toMatchObject({ spent: 0, reserved: 8 });
    const job = await run(unknown.recover());
    await run(unknown.recover());
    await run(job.result());
    expect(budget).toMatchObject({ spent: 8, reserved: 0 });
    expect(await charged(world)).toBe(8);
  });

  it("keeps what a call may have sent that was aborted", async () => {
    const budget = new Budget({ maxCredits: 20 });
    const { client, faults, mock, sent } = createWorld();
    faults.push(undefined, silence.after);
    const controller = new AbortController();
    const work = client({ budget })
      .submit(input, { signal: controller.signal })
      .catch(() => 0);
    while (sent.length < 2) await mock.clock.advance(1);
    controller.abort();
    await work;
    expect(budget).toMatchObject({ spent: 0, reserved: 8 });
  });

  it.each(["failed", "failed-except-content-blocked"] as const)(
    "gets back what the balance shows to have been refunded (%s), and asks once",
    async (refund) => {
      const budget = new Budget({ maxCredits: 16 });
      const world = createWorld({ options: { refund } });
      const { run, error, client } = world;
      const tryon = client({ budget });
      await error(tryon.run(failing));
      expect(budget.spent).toBe(8);
      await run(tryon.run(input));
      expect(accounts(world)).toBe(1);
      await run(tryon.run(input));
      expect(accounts(world)).toBe(2);
      expect(budget).toMatchObject({ spent: 16, reserved: 0 });
      expect(await error(tryon.run(input))).toMatchObject({ code: "budget_exceeded" });
      expect(accounts(world)).toBe(2);
      expect(await charged(world)).toBe(16);
    },
  );

  it("gets nothing back where nothing was refunded", async () => {
    const budget = new Budget({ maxCredits: 16 });
    const world = createWorld({ options: { refund: "none" } });
    const { error, client } = world;
    const tryon = client({ budget });
    await error(tryon.run(failing));
    await error(tryon.run(failing));
    const refused = { code: "budget_exceeded", spent: 16 };
    expect(await error(tryon.run(input))).toMatchObject(refused);
    expect(await error(tryon.run(input))).toMatchObject(refused);
    expect(accounts(world)).toBe(2);
  });
});
