import { sendGuarded } from "./delivery/network.ts";
import { stockEngine } from "./engine/stock.ts";
import { createApp } from "./http/app.ts";
import type { Mock, MockOptions } from "./mock-interface.ts";
import { createSite } from "./http/calls.ts";
import { defaultKeys, webhookSecret } from "./default-keys.ts";
import { WebhookSender } from "./delivery/webhook-sender.ts";
import { resolveOptions } from "./options.ts";
import { ImageFetch } from "./service/image-fetch.ts";
import { Service } from "./service/service.ts";
import { embeddedProcessor } from "./service/payment-processor.ts";
import { resolveSettings } from "./settings.ts";
import { connectionReset } from "./http/broken-connection.ts";
import { createControlApp, isControlRequest } from "./control/routes/control-app.ts";
import { parseNextJob } from "./control/next-job.ts";
import { settlePayment } from "./control/payments.ts";
import { createTenant } from "./control/tenant.ts";
import { ServerStates } from "./control/server-states.ts";
import { MemoryStore } from "./store/memory.ts";
import type { MemoryTables } from "./store/memory-tables.ts";
import { Control } from "./control/control.ts";
import { abortable, type OpenCalls } from "./abortable.ts";
import { SystemClock } from "./system/clock.ts";
import { freshSeed } from "./system/random.ts";
import { mark } from "./version.ts";
import { createSystem } from "./system/system.ts";

export type { Mock, MockOptions } from "./mock-interface.ts";

const paymentSecret = "whsec_mock_payments";

/**
 * Starts a reference server of the service in this process.
 *
 * @throws TypeError or RangeError for an unknown option or a value out of bounds; both name what is allowed.
 * @example
 * ```ts
 * import { createMock } from "@tryon/mock";
 *
 * const mock = createMock({ seed: "demo" });
 * const response = await mock.fetch(`${mock.baseUrl}/api/v1/account`, {
 *   headers: { authorization: `Bearer ${mock.keys.live}` },
 * });
 * ```
 */
export function createMock(input: MockOptions = {}): Mock {
  const options = resolveOptions(input.profile, input.options);
  const settings = resolveSettings(input);
  const clock = new SystemClock({ mode: input.clock ?? "real" });
  const seed = String(input.seed ?? freshSeed());
  const stock = stockEngine();
  const { network } = input;
  const { allowPrivateWebhooks, allowPrivateImages } = settings;
  const webhookRules = {
    allowPrivate: allowPrivateWebhooks,
    setting: "allowPrivateWebhooks",
  } as const;
  const way = new WebhookSender(input.sendWebhook, (request) =>
    sendGuarded(request, network, webhookRules),
  );
  const steering = new Control({ clock, seed, journalLimit: settings.journalLimit });
  const begin = (tables?: MemoryTables) => {
    const system = createSystem({ clock, seed });
    const store = new MemoryStore(tables);
    const context = {
      store,
      system,
      options,
      settings,
      engine: input.engine ?? stock,
      stockEngine: stock,
    };
    const service = new Service(context, {
      processor: embeddedProcessor,
      depart: () => steering.planWebhook((request) => way.send(request)),
      imageFetch:
        settings.images === "fetch"
          ? new ImageFetch({ system, network, allowPrivate: allowPrivateImages })
          : undefined,
    });
    const app = createApp(createSite({ service, system, settings, journal: steering.journal }), {
      mark,
      paymentSecret,
      steer: (request, work) => steering.applyFaults(request, work, system.clock),
    });
    const ready = tables === undefined ? defaultKeys.create(service.keys) : Promise.resolve();
    return { system, store, service, app, ready };
  };
  const worlds = new ServerStates(clock, begin, steering);
  const settled = async () => {
    const { current } = worlds;
    await current.ready;
    return current;
  };
  const open: OpenCalls = new Set();
  const openControl: OpenCalls = new Set();
  const closedMessage = "The reference server has been closed; make a new one.";
  let closed = false;

  const serve = (request: Request): Promise<Response> =>
    clock.during(async () => {
      refuseWhenClosed();
      const { app } = await settled();
      return steering.handleRequest(request, () => app.fetch(request));
    });

  const refuseWhenClosed = (): void => {
    if (closed) throw connectionReset(closedMessage);
  };

  const endCalls = (message: string, calls: OpenCalls = open): void => {
    for (const end of calls) end(connectionReset(message));
  };

  const mock: Mock = {
    fetch: async (resource, init) => {
      const request =
        resource instanceof Request && init === undefined ? resource : new Request(resource, init);
      if (request.bodyUsed)
        throw new TypeError("The body of the request was read before; send a new one.");
      const { signal } = request;
      if (!isControlRequest(request)) {
        return abortable(serve(request), signal, open);
      }
      refuseWhenClosed();
      // Going back ends the calls under way, but not the one that asks for it.
      return abortable(control.fetch(request), signal, openControl);
    },
    baseUrl: input.baseUrl ?? "https://tryon-mock.test",
    keys: defaultKeys.tokens,
    webhookSecret,
    clock,
    options,
    faults: steering.faults,
    journal: steering.journal,
    createKey: async (key = {}) => (await settled()).service.keys.create(key),
    tenant: async (key = {}) => {
      await settled();
      return createTenant(() => worlds.current, key);
    },
    ledger: async (token) => (await settled()).service.ledger(token),
    webhooks: {
      deliveries: (jobId) =>
        worlds.current.store.transact((transaction) => transaction.deliveries(jobId)),
      replay: (id) => worlds.current.service.deliveries.repeat(id, "replay"),
      duplicate: (id) => worlds.current.service.deliveries.repeat(id, "duplicate"),
      tamper: (id) => worlds.current.service.deliveries.repeat(id, "tamper"),
    },
    nextJob: (job) => worlds.current.service.nextJobs.add(parseNextJob(job)),
    settlePayment: (id, status = "succeeded") => settlePayment(worlds.current.service, id, status),
    snapshot: async () => {
      refuseWhenClosed();
      await settled();
      return worlds.snapshot();
    },
    restore: async (snapshot) => {
      refuseWhenClosed();
      worlds.restore(snapshot);
      endCalls("The reference server was put back into an earlier state; send the call again.");
    },
    reset: async () => {
      refuseWhenClosed();
      worlds.reset();
      endCalls("The reference server was reset; send the call again.");
      await settled();
    },
    close: () => {
      closed = true;
      worlds.end();
      clock.close();
      steering.journal.close(new Error(closedMessage));
      endCalls(closedMessage);
      endCalls(closedMessage, openControl);
    },
  };
  const control = createControlApp(mock, { mark, current: settled });
  return way.attachTo<Mock>(mock);
}
