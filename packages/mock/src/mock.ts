import { accepting, OptionsError, readOptions, readValue, show } from "@tryon/shared/options";

import { sendGuarded } from "./delivery/network.ts";
import { stockEngine } from "./engine/stock.ts";
import { createApp } from "./http/app.ts";
import { createRequest } from "./http/body.ts";
import {
  toWebResponse,
  withHandler,
  type Handler,
  type HttpRequest,
  type HttpResponse,
} from "./http/message.ts";
import { mockRules, type Mock, type MockOptions } from "./mock-interface.ts";
import { defaultKeys, webhookSecret } from "./default-keys.ts";
import { allowRedirect } from "./delivery/webhook-sender.ts";
import { resolveOptions } from "./options.ts";
import { createService } from "./service/service.ts";
import { resolveSettings } from "./settings.ts";
import { connectionReset } from "./http/broken-connection.ts";
import { createControlApp, isControlRequest } from "./control/routes/control-app.ts";
import { parseNextJob } from "./control/next-job.ts";
import { createTenant } from "./control/tenant.ts";
import { ServerStates } from "./control/server-states.ts";
import { Store } from "./store/store.ts";
import { Control } from "./control/control.ts";
import { abortable, type OpenRequests } from "./abortable.ts";
import { SystemClock } from "./system/clock.ts";
import { freshSeed } from "./system/random.ts";
import { mark } from "./version.ts";
import { createSystem } from "./system/system.ts";

export type { Mock, MockOptions } from "./mock-interface.ts";

const paymentSecret = "whsec_mock_payments";
const paymentStatus = accepting<string>(
  'a text such as "succeeded" or "canceled"',
  (given) => typeof given === "string" && given !== "",
);

/**
 * Starts a reference server of the service in this process.
 *
 * @throws TypeError for an unknown option or an invalid value; it names what is allowed.
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
  const given = readOptions("an option of createMock", input, mockRules);
  const { store: log, network } = given;
  const options = resolveOptions(given.profile, given.options);
  const settings = resolveSettings(given);
  const store = new Store(log);
  const clock: SystemClock = new SystemClock({
    mode: given.clock,
    offset: store.transact(({ server }) => server.get("server")?.clockOffset),
    onMove: () => states.onMove(),
  });
  const newSeed = (): string => String(given.seed ?? freshSeed());
  const stock = stockEngine();
  let sendWebhook =
    given.sendWebhook ?? ((request) => sendGuarded(request, network, settings.webhookUrls));
  const control = new Control({ clock, seed: newSeed(), journalLimit: settings.journalLimit });
  const createState = (current: Store) => {
    const { seed } = current.transact(({ server }) => server.getOrThrow("server"));
    const system = createSystem({ clock, seed });
    const engine = given.engine ?? stock;
    const service = createService({
      store: current,
      system,
      options,
      settings,
      engine,
      stockEngine: stock,
      network,
      planAttempt: () => control.planWebhook((request) => sendWebhook(request)),
    });
    const app = createApp({
      service,
      system,
      settings,
      journal: control.journal,
      mark,
      paymentSecret,
      applyFaults: (request, respond) => control.applyFaults(request, respond, system.clock),
      saved: () => current.saved(),
    });
    defaultKeys.create(service.keys, settings.credits);
    return { system, store: current, service, app };
  };
  const states = new ServerStates({ clock, control, store, log, newSeed, begin: createState });
  const openRequests: OpenRequests = new Set();
  const openControlRequests: OpenRequests = new Set();
  const closedMessage = "The reference server has been closed; create a new one.";
  let closed = false;

  const requireOpen = (): void => {
    if (closed) throw connectionReset(closedMessage);
  };

  const respond: Handler = (request) =>
    clock.during(async () => {
      requireOpen();
      const { app } = states.current;
      return control.handleRequest(request, () => app(request));
    });

  const respondToControl: Handler = async (request) => {
    requireOpen();
    return controlApp(request);
  };

  const handle = (
    request: HttpRequest,
    source?: { readonly signal: AbortSignal },
  ): Promise<HttpResponse> =>
    // A reset ends all other requests, so control requests are kept apart.
    isControlRequest(request)
      ? abortable(respondToControl(request), source, openControlRequests)
      : abortable(respond(request), source, openRequests);

  const endRequests = (message: string, requests = openRequests): void => {
    for (const end of requests) end(connectionReset(message));
  };

  const mock: Mock = {
    fetch: withHandler(
      async (resource, init) => {
        const { request, web } = createRequest(resource, init);
        const isAbortable = resource instanceof Request || init?.signal;
        return toWebResponse(await handle(request, isAbortable ? web : undefined));
      },
      (request) => handle(request),
    ),
    baseUrl: given.baseUrl,
    keys: defaultKeys.tokens,
    webhookSecret,
    clock,
    options,
    faults: control.faults,
    journal: control.journal,
    createKey: async (key = {}) => states.current.service.keys.create(key),
    tenant: (key = {}) => createTenant(() => states.current, key),
    ledger: async (token) => states.current.service.ledger(token),
    webhooks: {
      deliveries: async (jobId) =>
        states.current.store.transact((tables) => tables.deliveries.all(jobId)),
      replay: (id) => states.current.service.deliveries.repeat(id, "replay"),
      duplicate: (id) => states.current.service.deliveries.repeat(id, "duplicate"),
      tamper: (id) => states.current.service.deliveries.repeat(id, "tamper"),
    },
    nextJob: (job) => states.current.service.nextJobs.add(parseNextJob(job)),
    settlePayment: async (id, status = "succeeded") => {
      readValue("status", status, paymentStatus);
      if (await states.current.service.purchases.settle(id, status)) return;
      const hint = "Pass the payment_intent_id of a purchase.";
      throw new OptionsError("paymentIntentId", `${show(id)} is unknown`, hint);
    },
    snapshot: async () => {
      requireOpen();
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
    },
    close: () => {
      closed = true;
      clock.close();
      control.journal.close(new Error(closedMessage));
      endRequests(closedMessage);
      endRequests(closedMessage, openControlRequests);
      try {
        states.end();
      } finally {
        log?.close();
      }
    },
  };
  const controlApp = createControlApp(mock, {
    mark,
    current: () => states.current,
    journal: control.journal,
  });
  if (given.sendWebhook === undefined) allowRedirect(mock, (send) => (sendWebhook = send));
  return mock;
}
