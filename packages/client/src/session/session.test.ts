import { expect, test } from "vitest";

import { createTryOnSession, resetAll } from "./index.ts";
import { createService, cut, input, machineClock } from "../../test/service.ts";

test("is idle on a server, and does nothing until it is started", async () => {
  const { client, sent } = createService();
  const session = createTryOnSession(client());
  const states: string[] = [];
  const unsubscribe = session.subscribe(() => states.push(session.getSnapshot().status));
  session.cancelWait();
  await session.resume();
  expect(session.getSnapshot()).toBe(session.getSnapshot());
  expect([session.getSnapshot(), states, sent]).toEqual([{ status: "idle" }, [], []]);
  unsubscribe();
  session.close();
});

test("sends a new try-on with a timeout beyond the idempotency window", async () => {
  const { client, sent, mock } = createService();
  const session = createTryOnSession(client(), { timeout: "1h" });
  await mock.clock.runUntil(
    session.start({ person: "https://a.example/me.jpg", garments: ["https://a.example/a.png"] }),
  );
  expect(session.getSnapshot()).toMatchObject({ status: "succeeded", isSaved: false });
  expect(sent.filter(({ method }) => method === "POST")).toHaveLength(1);
});

const minute = 60_000;
type Machine = ReturnType<typeof machineClock>;

/** Starts a try-on, stops waiting during its submission, and resumes it after some time and a change of the date. */
async function resumeAfter(
  minutes: number,
  change: (machine: Machine) => void | Promise<void>,
  { isLost = false, keyInMetadata = false, ofPage = false } = {},
) {
  const service = createService();
  const { client, pageClient, mock, run, faults } = service;
  const machine = machineClock(mock.clock);
  const create = ofPage ? pageClient : client;
  const session = createTryOnSession(create({ clock: machine.machine, keyInMetadata }));
  faults.push(isLost ? cut.before : cut.after, cut.before, cut.before);
  const starting = session.start(input);
  await mock.clock.advance(200);
  session.cancelWait();
  await run(starting);
  faults.length = 0;
  const before = service.submissions().length;
  await mock.clock.advance(minutes * minute);
  await change(machine);
  await run(session.resume());
  const sent = service.submissions().length - before;
  return { snapshot: session.getSnapshot(), sent, balance: await service.balance() };
}

test.each<[string, number, (machine: Machine) => void | Promise<void>]>([
  ["after its window, by the clock", 26, () => undefined],
  ["after its window, while the date was set back", 28, ({ setDate }) => setDate(-20 * minute)],
  ["if the date was set forward", 5, ({ setDate }) => setDate(60 * minute)],
  ["if the machine slept", 5, ({ sleep }) => sleep(60 * minute)],
])("sends a try-on that may have been sent not again %s", async (_when, minutes, change) => {
  for (const ofPage of [true, false]) {
    const outcome = await resumeAfter(minutes, change, { isLost: true, ofPage });
    const { snapshot, sent, balance } = outcome;
    expect(snapshot).toMatchObject({ status: "failed", error: { code: "outcome_unknown" } });
    expect([sent, balance]).toEqual([0, 1_000]);
  }
});

test.each<[string, (machine: Machine) => void]>([
  ["the date is right", () => undefined],
  ["the date was set back", ({ setDate }) => setDate(-60 * minute)],
])("sends a try-on again within its window if %s", async (_how, change) => {
  for (const ofPage of [true, false]) {
    const { snapshot, sent, balance } = await resumeAfter(10, change, { ofPage });
    expect([snapshot.status, sent, balance]).toEqual(["succeeded", 1, 992]);
  }
});

test("finds a try-on that it does not send again, if its key is in the metadata", async () => {
  const outcome = await resumeAfter(40, () => undefined, { keyInMetadata: true });
  expect(outcome).toMatchObject({ snapshot: { status: "succeeded" }, sent: 0, balance: 992 });
});

test("has nothing to reset on a server", async () => {
  await expect(resetAll()).resolves.toBeUndefined();
});
