import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createMock } from "@tryon/mock";
import type { Mock } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { expect, it, onTestFinished } from "vitest";
import { allViolations } from "./delivery-record.ts";
import { Coordinator } from "./processes/coordinator.ts";
import { receiverProcess } from "./processes/receiver-process.ts";
import { ProcessSlot } from "./processes/process-slot.ts";
import type { SlotEvent } from "./processes/process-slot.ts";
import { submit } from "./submit.ts";
import type { Plan, Fault } from "./faults.ts";

const secret = "whsec_end_to_end";
const eventsOfEach = 5;

/**
 * Of all claims that leave a kill one attempt, the one that bears the longest standstills of a busy machine. A receiver
 * or this process loses a claim when it stands still for two thirds of it, here 4 s. The next attempt has until 11 s
 * after the kill; it gets the claim after 6 s, or 250 ms later, and so has 4.75 s for the handler, and 2.75 s before it
 * would be answered 503. A longer claim has less of these, a shorter one less of the former.
 */
const claimTtl = 6_000;
/** Claims for which a kill costs two attempts. Here nothing hangs on a margin: who gets one sooner has one more left. */
const longClaimFor = 15_000;

/** Troubles of which each costs its own attempt, with claims of less than 9 s. The one that takes longest stands first. */
const plans: readonly Plan[] = [
  ["hangs and fails", "hangs and fails", "hangs and fails"],
  [],
  ["is killed"],
  ["is killed before the note"],
  ["fails", "is killed", "redirects"],
  ["fails", "is down", "is killed before the note"],
  ["is killed", "is killed", "is killed"],
  ["is killed before the note", "is killed before the note", "is killed before the note"],
  ["is killed", "fails", "hangs and fails"],
  ["is killed", "is down", "is killed"],
  ["is killed before the note", "hangs and ends"],
  ["redirects", "is killed", "hangs and ends"],
  ["redirects", "hangs and fails", "is killed"],
  ["is down", "is killed before the note", "fails"],
  ["hangs and fails", "is killed", "is killed before the note"],
  ["hangs and is killed", "fails"],
];

/** Troubles that leave an attempt where a kill costs the next one, too. */
const plansWithLongClaims: readonly Plan[] = [
  ["is killed", "fails"],
  ["fails", "is killed before the note"],
  ["is killed", "is down"],
  ["hangs and is killed"],
];

async function servedMock(webhookBody: "same" | "resigned", direction: Coordinator) {
  const mock: Mock = createMock({
    latency: 0,
    // Nobody looks at the images, and drawing them would keep the machine busy.
    engine: { name: "none", render: async () => new Uint8Array() },
    options: { webhookBody },
    sendWebhook: direction.send,
  });
  const key = { credits: 1_000_000, rateLimitPerMinute: 1_000_000, webhookSecret: secret };
  const { token } = await mock.createKey(key);
  const server = await serve(mock);
  onTestFinished(async () => {
    mock.close();
    await server.close();
  });
  const service = { fetch: globalThis.fetch, baseUrl: server.url };
  return { mock, submit: (hook: string) => submit(service, token, hook) };
}

it(
  "200 events under way together, of which real receivers fail, hang, redirect, are down and are killed, are all handled",
  // It takes 80 s. How slow the machine may be is no part of what is shown.
  { timeout: 600_000 },
  async () => {
    const cache = await mkdtemp(join(tmpdir(), "tryon-killed-"));
    onTestFinished(() => rm(cache, { recursive: true, force: true }));
    const direction = new Coordinator();
    onTestFinished(() => direction.close());
    for (const [lasting, some] of [
      [claimTtl, plans],
      [longClaimFor, plansWithLongClaims],
    ] as const) {
      for (const plan of some) {
        const name = `${lasting}-${direction.seats.length}`;
        const seat = new ProcessSlot(name, plan, 2 * eventsOfEach);
        direction.seat(seat);
        await seat.open(() => receiverProcess({ tell: direction.tell, cache, secret }, lasting));
      }
    }
    const services = [
      await servedMock("same", direction),
      await servedMock("resigned", direction),
    ] as const;

    // One seat after the other, since the events of one have to stay together, and not before those of the last are
    // there, so that a slow machine gets them more slowly.
    const sent: { seat: ProcessSlot; event: SlotEvent; mock: Mock; jobId: string }[] = [];
    for (const seat of direction.seats) {
      sent.push(
        ...(await Promise.all(
          seat.events.map(async (event, index) => {
            const { mock, submit: ask } = services[index % 2 === 0 ? 0 : 1];
            const jobId = await ask(`http://127.0.0.1:${seat.port}${event.path}`);
            return { seat, event, mock, jobId };
          }),
        )),
      );
      await seat.begun;
    }
    expect(sent).toHaveLength(200);
    const pending = async (): Promise<readonly string[]> => {
      const all = await Promise.all(services.map(({ mock }) => mock.webhooks.deliveries()));
      return all.flat().flatMap(({ state, url: at }) => (state === "pending" ? [at] : []));
    };
    await expect.poll(pending, { timeout: 400_000, interval: 250 }).toEqual([]);

    const fates = await Promise.all(
      sent.map(async ({ seat, event, mock, jobId }) => {
        const [delivery] = await mock.webhooks.deliveries(jobId);
        const attempts = delivery?.attempts.map(({ status }) => status) ?? [];
        return { ...event, plan: seat.plan, jobId, attempts, delivery };
      }),
    );
    const { mishaps } = direction;
    expect({ mishaps, wrongs: allViolations(fates) }).toEqual({ mishaps: [], wrongs: [] });
    const astray = fates.filter(
      ({ plan, troubles, delivery }) => delivery?.state !== "delivered" || plan.length !== troubles,
    );
    expect(
      astray.map(({ path, plan, delivery }) => ({ path, plan, made: delivery?.attempts })),
    ).toEqual([]);
    const { table, killedBeforeNote, doubles } = figures(fates);
    expect(doubles).toBe(killedBeforeNote);

    const before = fates.map(({ ends }) => ends);
    for (const [index, { delivery }] of fates.entries()) {
      const { mock } = sent[index] ?? services[0];
      const id = delivery?.id ?? "";
      expect((await mock.webhooks.replay(id)).attempts).toMatchObject([{ status: 204 }]);
      expect((await mock.webhooks.duplicate(id)).attempts).toMatchObject([{ status: 204 }]);
      expect((await mock.webhooks.tamper(id)).attempts).toMatchObject([{ status: 400 }]);
    }
    expect(sent.map(({ event }) => event.ends)).toEqual(before);
    // oxlint-disable-next-line no-console
    console.log(table);
  },
);

/** What befell the events, counted. */
function figures(fates: readonly { readonly plan: Plan; readonly ends: number }[]) {
  const count = (...troubles: readonly Fault[]): number =>
    fates.flatMap(({ plan }) => plan.filter((one) => troubles.includes(one))).length;
  const killedBeforeNote = count("is killed before the note");
  const doubles = fates.reduce((sum, { ends }) => sum + ends - 1, 0);
  const hung = count("hangs and ends", "hangs and fails", "hangs and is killed");
  const table = [
    `${fates.length} events, half of them with each body`,
    `killed in the handler ${count("is killed", "hangs and is killed")}, between its end and the note ${killedBeforeNote}`,
    `failed ${count("fails", "hangs and fails")}, hung ${hung}, redirected ${count("redirects")}, down ${count("is down")}`,
    `handled once more: after a kill between the end and the note ${doubles}, else ${doubles - killedBeforeNote}`,
  ].join("\n");
  return { table, killedBeforeNote, doubles };
}
