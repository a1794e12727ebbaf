import { createMock, type Mock, type Options } from "@tryon/mock";
import { createMemoryStore, type ReceiverStore } from "../../src/index.ts";
import { FaultScenario, type ReceiverSettings } from "./fault-scenario.ts";
import type { DeliveryOutcome, FaultPlan } from "./faults.ts";
import { submit } from "./submit.ts";

export interface ScenarioSettings extends ReceiverSettings {
  readonly webhookBody: Options["webhookBody"];
  /** Returns other methods of the store that the receivers share. */
  readonly changeStore?: (shared: ReceiverStore) => Partial<ReceiverStore>;
}

/** Completes a job for each plan, with a scenario of its event. The caller advances the clock, or waits if the receivers are processes. */
export async function startScenarios(settings: ScenarioSettings, plans: readonly FaultPlan[]) {
  const isManual = settings.startProcess === undefined;
  const mock: Mock = createMock({
    clock: isManual ? "manual" : "real",
    latency: 0,
    seed: "end to end",
    options: { webhookBody: settings.webhookBody },
    sendWebhook: async (request) => {
      const index = Number(new URL(request.url).pathname.slice(1));
      const scenario = scenarios[index];
      if (scenario === undefined) throw new RangeError(`Unknown event ${index}.`);
      return scenario.deliver(request, (response) =>
        isManual ? mock.clock.outside(response, undefined, false) : response,
      );
    },
  });
  const { clock } = mock;
  const shared = createMemoryStore({ clock, maxEvents: 1_000_000 });
  const { token, webhookSecret: secret } = await mock.createKey({
    credits: 1_000_000,
    rateLimitPerMinute: 1_000_000,
  });
  const environment = { clock, store: { ...shared, ...settings.changeStore?.(shared) }, secret };
  const scenarios = plans.map((plan) => new FaultScenario(plan, settings, environment));
  const jobIds: string[] = [];
  for (const index of plans.keys()) {
    jobIds.push(await submit(mock, token, `https://shop.example/${index}`));
  }
  const firstDeliveries = () =>
    Promise.all(
      jobIds.map(async (jobId) => {
        const [first] = await mock.webhooks.deliveries(jobId);
        if (first === undefined) throw new Error("The job has not ended yet.");
        return first;
      }),
    );
  return {
    mock,
    scenarios,
    /** Returns the first delivery of each event. */
    deliveryIds: async () => (await firstDeliveries()).map(({ id }) => id),
    /** Returns the outcomes until now. */
    outcomes: async () => {
      const deliveries = await firstDeliveries();
      return scenarios.map((scenario, index) =>
        scenario.outcome(deliveries[index]?.attempts.map(({ status }) => status) ?? []),
      );
    },
  };
}

/** Time after which the service has stopped all attempts. Claims may be renewed forever. */
export const runTime = "3m";

/** Number of concurrent events, so few that none exceeds the second for which the clock waits. */
const batchSize = 60;

/** Runs all plans to the last attempt and returns the outcomes. */
export async function runScenarios(
  settings: ScenarioSettings,
  plans: readonly FaultPlan[],
): Promise<readonly DeliveryOutcome[]> {
  const all: DeliveryOutcome[] = [];
  for (let start = 0; start < plans.length; start += batchSize) {
    const { mock, outcomes } = await startScenarios(
      settings,
      plans.slice(start, start + batchSize),
    );
    await mock.clock.advance(runTime);
    all.push(...(await outcomes()));
    mock.close();
  }
  return all;
}
