import { createMock } from "@tryon/mock";
import type { Mock, Options } from "@tryon/mock";
import { createMemoryStore } from "../../src/index.ts";
import type { ReceiverStore } from "../../src/index.ts";
import type { DeliveryRecord } from "./delivery-record.ts";
import { instantsOf } from "./instants.ts";
import { FaultScenario } from "./fault-scenario.ts";
import type { Participants } from "./fault-scenario.ts";
import { submit } from "./submit.ts";
import type { Plan } from "./faults.ts";

/** How the service and the receivers are set up. */
export interface ScenarioSettings extends Participants {
  readonly webhookBody: Options["webhookBody"];
  /** What becomes of the store that the receivers share, and that outlives them. @default nothing */
  readonly store?: (shared: ReceiverStore) => ReceiverStore;
}

/** Events of the reference server, each on its way to a process of its own, on a clock moved by hand. */
export interface ScenarioRun {
  readonly mock: Mock;
  /** One for each plan. */
  readonly ordeals: readonly FaultScenario[];
  /** The first delivery of the event of each plan. */
  readonly deliveryIds: () => Promise<readonly string[]>;
  /** What has become of the events so far. */
  readonly fates: () => Promise<readonly DeliveryRecord[]>;
}

/** Has jobs end, one for each plan; time has to be moved for the rest. */
export async function runScenario(
  setting: ScenarioSettings,
  plans: readonly Plan[],
): Promise<ScenarioRun> {
  const { webhookBody } = setting;
  const mock: Mock = createMock({
    clock: "manual",
    latency: 0,
    seed: "end to end",
    options: { webhookBody },
    sendWebhook: async (request) => {
      const index = Number(new URL(request.url).pathname.slice(1));
      const ordeal = ordeals[index];
      if (ordeal === undefined) throw new RangeError(`There is no event ${index}.`);
      return ordeal.travel(request, (answer) => mock.clock.outside(answer, undefined, false));
    },
  });
  const clock = instantsOf(mock.clock);
  const shared = createMemoryStore({ clock, maxEvents: 1_000_000 });
  const { token, webhookSecret: secret } = await mock.createKey({
    credits: 1_000_000,
    rateLimitPerMinute: 1_000_000,
  });
  const world = { clock, store: setting.store?.(shared) ?? shared, secret };
  const ordeals = plans.map((plan) => new FaultScenario(plan, setting, world));
  const jobs: { readonly jobId: string; readonly ordeal: FaultScenario }[] = [];
  for (const [index, ordeal] of ordeals.entries()) {
    jobs.push({ jobId: await submit(mock, token, `https://shop.example/${index}`), ordeal });
  }
  const firstDelivery = async (jobId: string) => {
    const [first] = await mock.webhooks.deliveries(jobId);
    if (first === undefined) throw new Error("The job has not ended yet: let time pass.");
    return first;
  };
  return {
    mock,
    ordeals,
    deliveryIds: () => Promise.all(jobs.map(async ({ jobId }) => (await firstDelivery(jobId)).id)),
    fates: () =>
      Promise.all(
        jobs.map(async ({ jobId, ordeal }) => {
          const { plan, ends, endsUnnoted, mostAtOnce, troubles } = ordeal;
          const attempts = (await firstDelivery(jobId)).attempts.map(({ status }) => status);
          return { plan, jobId, ends, endsUnnoted, mostAtOnce, troubles, attempts };
        }),
      ),
  };
}

/** By then the service has given every event up that was not handled, and a claim that is renewed for ever is no matter. */
export const longEnough = "3m";

/** How many events are performed at once: few enough that none takes the second for which time is held for it. */
const atOnce = 60;

/** The same to the last attempt of the last event; gives what became of them. */
export async function runAll(
  setting: ScenarioSettings,
  plans: readonly Plan[],
): Promise<readonly DeliveryRecord[]> {
  const played: DeliveryRecord[] = [];
  for (let begin = 0; begin < plans.length; begin += atOnce) {
    const { mock, fates } = await runScenario(setting, plans.slice(begin, begin + atOnce));
    await mock.clock.advance(longEnough);
    played.push(...(await fates()));
    mock.close();
  }
  return played;
}
