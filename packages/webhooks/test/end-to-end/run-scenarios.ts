import { createMock, type Mock, type Options } from "@tryon/mock";
import { createMemoryStore, type ReceiverStore } from "../../src/index.ts";
import { FaultScenario, type ReceiverSettings } from "./fault-scenario.ts";
import type { FaultPlan } from "./faults.ts";
import type { DeliveryOutcome } from "./planned-event.ts";
import { submit } from "./submit.ts";

export interface ScenarioSettings extends ReceiverSettings {
  readonly webhookBody: Options["webhookBody"];
  /** Returns other methods of the store that the receivers share. */
  readonly changeStore?: (shared: ReceiverStore) => Partial<ReceiverStore>;
}

/** Events of the reference server with one scenario each, on a manual clock. */
export interface ScenarioRun {
  readonly mock: Mock;
  readonly scenarios: readonly FaultScenario[];
  /** Returns the first delivery of each event. */
  readonly deliveryIds: () => Promise<readonly string[]>;
  /** Returns the outcomes until now. */
  readonly outcomes: () => Promise<readonly DeliveryOutcome[]>;
}

/** Completes a job for each plan. The caller advances the clock, or waits if the receivers are processes. */
export async function startScenarios(
  settings: ScenarioSettings,
  plans: readonly FaultPlan[],
): Promise<ScenarioRun> {
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
    deliveryIds: async () => (await firstDeliveries()).map(({ id }) => id),
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
