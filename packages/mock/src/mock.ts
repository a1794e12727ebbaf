import { sendGuarded } from "./delivery/network.ts";
import { stockEngine } from "./engine/stock.ts";
import { createApp } from "./http/app.ts";
import type { Mock, MockOptions } from "./mock-interface.ts";
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
import { MemoryStore } from "./store/memory-store.ts";
import type { MemoryTables } from "./store/memory-tables.ts";
import { Control } from "./control/control.ts";
import { abortable, type OpenRequests } from "./abortable.ts";
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
  const webhookSender = new WebhookSender(input.sendWebhook, (request) =>
    sendGuarded(request, network, webhookRules),
  );
  const control = new Control({ clock, seed, journalLimit: settings.journalLimit });
  const createState = (tables?: MemoryTables) => {
    const system = createSystem({ clock, seed });
    const store = new MemoryStore(tables);
    const engine = input.engine ?? stock;
    const context = { store, system, options, settings, engine, stockEngine: stock };
    const service = new Service(context, {
      processor: embeddedProcessor,
      planAttempt: () => control.planWebhook((request) => webhookSender.send(request)),
      imageFetch:
        settings.images === "fetch"
          ? new ImageFetch({ system, network, allowPrivate: allowPrivateImages })
          : undefined,
    });
    const app = createApp({
      service,
      system,
      settings,
      journal: control.journal,
      mark,
      paymentSecret,
      applyFaults: (request, respond) => control.applyFaults(request, respond, system.clock),
    });
    const ready = tables === undefined ? defaultKeys.create(service.keys) : Promise.resolve();
    return { system, store, service, app, ready };
  };
  const states = new ServerStates(clock, createState, control);
  const readyState = async () => {
    const { current } = states;
    await current.ready;
    return current;
  };
  const openRequests: OpenRequests = new Set();
  const openControlRequests: OpenRequests = new Set();
  const closedMessage = "The reference server has been closed; create a new one.";
  let closed = false;

  const requireOpen = (): void => {
    if (closed) throw connectionReset(closedMessage);
  };

  const handle = (request: Request): Promise<Response> =>
    clock.during(async () => {
      requireOpen();
      const { app } = await readyState();
      return control.handleRequest(request, () => app.fetch(request));
    });

  const endRequests = (message: string, requests = openRequests): void => {
    for (const end of requests) end(connectionReset(message));
  };

  const mock: Mock = {
    fetch: async (resource, init) => {
      const request =
        resource instanceof Request && init === undefined ? resource : new Request(resource, init);
      if (request.bodyUsed)
        throw new TypeError("The body of the request was read before; send a new one.");
      const { signal } = request;
      if (!isControlRequest(request)) return abortable(handle(request), signal, openRequests);
      requireOpen();
      // A reset ends all other requests, so control requests are kept apart.
      return abortable(controlApp.fetch(request), signal, openControlRequests);
    },
    baseUrl: input.baseUrl ?? "https://tryon-mock.test",
    keys: defaultKeys.tokens,
    webhookSecret,
    clock,
    options,
    faults: control.faults,
    journal: control.journal,
    createKey: async (key = {}) => (await readyState()).service.keys.create(key),
    tenant: async (key = {}) => {
      await readyState();
      return createTenant(() => states.current, key);
    },
    ledger: async (token) => (await readyState()).service.ledger(token),
    webhooks: {
      deliveries: async (jobId) =>
        states.current.store.transact((transaction) => transaction.deliveries(jobId)),
      replay: (id) => states.current.service.deliveries.repeat(id, "replay"),
      duplicate: (id) => states.current.service.deliveries.repeat(id, "duplicate"),
      tamper: (id) => states.current.service.deliveries.repeat(id, "tamper"),
    },
    nextJob: (job) => states.current.service.nextJobs.add(parseNextJob(job)),
    settlePayment: (id, status = "succeeded") => settlePayment(states.current.service, id, status),
    snapshot: async () => {
      requireOpen();
      await readyState();
      return states.snapshot();
    },
    restore: async (snapshot) => {
      requireOpen();
      states.restore(snapshot);
      endRequests(
        "The reference server was put back into an earlier state; send the request again.",
      );
    },
    reset: async () => {
      requireOpen();
      states.reset();
      endRequests("The reference server was reset; send the request again.");
      await readyState();
    },
    close: () => {
      closed = true;
      states.end();
      clock.close();
      control.journal.close(new Error(closedMessage));
      endRequests(closedMessage);
      endRequests(closedMessage, openControlRequests);
    },
  };
  const controlApp = createControlApp(mock, { mark, current: readyState });
  return webhookSender.attachTo<Mock>(mock);
}
