import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createMock, type Mock } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { expect, it, onTestFinished } from "vitest";
import { allViolations } from "./planned-event.ts";
import type { Fault, FaultPlan } from "./faults.ts";
import { Coordinator } from "./processes/coordinator.ts";
import { ProcessSlot, type SlotEvent } from "./processes/process-slot.ts";
import { startReceiver } from "./processes/receiver-process.ts";
import { submit } from "./submit.ts";

const secret = "whsec_end_to_end";
const eventsPerSlot = 10;

/**
 * Among the claim times with which a kill costs one attempt, the one that tolerates the longest delays of a busy
 * machine. A process loses its claim after a delay of two thirds, 4 s. The next attempt ends 11 s after the kill and
 * gets the claim after 6.25 s at most. That leaves 4.75 s for the handler, and 2.75 s before a 503. A longer claim
 * leaves less for these, a shorter one less for the delay.
 */
const claimTtl = 6_000;
/** Claim time with which a kill costs two attempts. Delays have no effect here. */
const longClaimTtl = 15_000;

/** Faults that cost one attempt each, with claims of less than 9 s. The plan that takes longest is first. */
const plans: readonly FaultPlan[] = [
  ["hangs and fails", "hangs and fails", "hangs and fails"],
  [],
  ["is killed"],
  ["is killed before done"],
  ["fails", "is killed", "redirects"],
  ["fails", "is down", "is killed before done"],
  ["is killed", "is killed", "is killed"],
  ["is killed before done", "is killed before done", "is killed before done"],
  ["is killed", "fails", "hangs and fails"],
  ["is killed", "is down", "is killed"],
  ["is killed before done", "hangs and ends"],
  ["redirects", "is killed", "hangs and ends"],
  ["redirects", "hangs and fails", "is killed"],
  ["is down", "is killed before done", "fails"],
  ["hangs and fails", "is killed", "is killed before done"],
  ["hangs and is killed", "fails"],
];

/** Faults that leave an attempt when a kill costs two. */
const longClaimPlans: readonly FaultPlan[] = [
  ["is killed", "fails"],
  ["fails", "is killed before done"],
  ["is killed", "is down"],
  ["hangs and is killed"],
];

async function startService(webhookBody: "same" | "resigned", coordinator: Coordinator) {
  const mock: Mock = createMock({
    latency: 0,
    // The test reads no images, and rendering would keep the machine busy.
    engine: { name: "none", render: async () => new Uint8Array() },
    options: { webhookBody },
    sendWebhook: coordinator.send,
  });
  const key = { credits: 1_000_000, rateLimitPerMinute: 1_000_000, webhookSecret: secret };
  const { token } = await mock.createKey(key);
  const server = await serve(mock);
  onTestFinished(async () => {
    mock.close();
    await server.close();
  });
  const service = { fetch: globalThis.fetch, baseUrl: server.url };
  return { mock, submit: (webhookUrl: string) => submit(service, token, webhookUrl) };
}

it(
  "handles 200 concurrent events of real receivers that fail, hang, redirect, are down and are killed",
  // It takes 80 s. A slow machine may take longer.
  { timeout: 600_000 },
  async () => {
    const cache = await mkdtemp(join(tmpdir(), "tryon-killed-"));
    onTestFinished(() => rm(cache, { recursive: true, force: true }));
    const coordinator = new Coordinator();
    onTestFinished(() => coordinator.close());
    const { respond, slots } = coordinator;
    for (const [ttl, ttlPlans] of [
      [claimTtl, plans],
      [longClaimTtl, longClaimPlans],
    ] as const) {
      for (const plan of ttlPlans) {
        const slot = new ProcessSlot(`${ttl}-${slots.length}`, plan, eventsPerSlot);
        coordinator.add(slot);
        await slot.open(() => startReceiver(respond, cache, secret, ttl));
      }
    }
    const services = [
      await startService("same", coordinator),
      await startService("resigned", coordinator),
    ] as const;

    // The events of a slot have to stay together. Waiting for their arrival slows the test on a slow machine.
    const sent: { event: SlotEvent; mock: Mock; jobId: string }[] = [];
    for (const slot of slots) {
      sent.push(
        ...(await Promise.all(
          slot.events.map(async (event, index) => {
            const service = services[index % 2 === 0 ? 0 : 1];
            const jobId = await service.submit(`http://127.0.0.1:${slot.port}${event.path}`);
            return { event, mock: service.mock, jobId };
          }),
        )),
      );
      await slot.allArrived;
    }
    expect(sent).toHaveLength(200);
    const pending = async (): Promise<readonly string[]> => {
      const all = await Promise.all(services.map(({ mock }) => mock.webhooks.deliveries()));
      return all.flat().flatMap(({ state, url }) => (state === "pending" ? [url] : []));
    };
    await expect.poll(pending, { timeout: 400_000, interval: 250 }).toEqual([]);

    const outcomes = await Promise.all(
      sent.map(async ({ event, mock, jobId }) => {
        const [delivery] = await mock.webhooks.deliveries(jobId);
        const outcome = event.outcome(delivery?.attempts.map(({ status }) => status) ?? []);
        return { ...outcome, path: event.path, delivery };
      }),
    );
    const { errors } = coordinator;
    expect({ errors, violations: allViolations(outcomes) }).toEqual({ errors: [], violations: [] });
    const unexpected = outcomes.filter(
      ({ plan, faults, delivery }) => delivery?.state !== "delivered" || plan.length !== faults,
    );
    expect(
      unexpected.map(({ path, plan, delivery }) => ({ path, plan, attempts: delivery?.attempts })),
    ).toEqual([]);
    const { table, killedBeforeDone, repeated } = figures(outcomes);
    expect(repeated).toBe(killedBeforeDone);

    const before = outcomes.map(({ completions }) => completions);
    for (const [index, { delivery }] of outcomes.entries()) {
      const { mock } = sent[index] ?? services[0];
      const id = delivery?.id ?? "";
      expect((await mock.webhooks.replay(id)).attempts).toMatchObject([{ status: 204 }]);
      expect((await mock.webhooks.duplicate(id)).attempts).toMatchObject([{ status: 204 }]);
      expect((await mock.webhooks.tamper(id)).attempts).toMatchObject([{ status: 400 }]);
    }
    expect(sent.map(({ event }) => event.completions)).toEqual(before);
    // oxlint-disable-next-line no-console
    console.log(table);
  },
);

/** Counts the faults and the repeated completions. */
function figures(outcomes: readonly { readonly plan: FaultPlan; readonly completions: number }[]) {
  const count = (...faults: readonly Fault[]): number =>
    outcomes.flatMap(({ plan }) => plan.filter((fault) => faults.includes(fault))).length;
  const killedBeforeDone = count("is killed before done");
  const repeated = outcomes.reduce((sum, { completions }) => sum + completions - 1, 0);
  const hung = count("hangs and ends", "hangs and fails", "hangs and is killed");
  const table = [
    `${outcomes.length} events, half of them with each body`,
    `killed in the handler ${count("is killed", "hangs and is killed")}, killed before done ${killedBeforeDone}`,
    `failed ${count("fails", "hangs and fails")}, hung ${hung}, redirected ${count("redirects")}, down ${count("is down")}`,
    `handled again after a kill before done ${repeated}, otherwise ${repeated - killedBeforeDone}`,
  ].join("\n");
  return { table, killedBeforeDone, repeated };
}
