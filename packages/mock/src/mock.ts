import { sendGuarded } from "./delivery/network.ts";
import { stockEngine } from "./engine/stock.ts";
import { createApp } from "./http/app.ts";
import { createSite } from "./http/calls.ts";
import { defaultKeys, webhookSecret, type DefaultKeys } from "./default-keys.ts";
import { WebhookWay } from "./delivery/webhook-way.ts";
import { resolveOptions, type Options, type ProfileName } from "./options.ts";
import { ImageFetch } from "./service/image-fetch.ts";
import { Service } from "./service/service.ts";
import type { NewKey } from "./service/keys.ts";
import { embeddedProcessor } from "./service/payment-processor.ts";
import { resolveSettings, type SettingsInput } from "./settings.ts";
import { readNextJob, type NextJob } from "./steering/next-job.ts";
import { settlePayment } from "./steering/payments.ts";
import { createTenant, type NewTenant, type Tenant } from "./steering/tenant.ts";
import { Worlds, type Snapshot } from "./steering/worlds.ts";
import { MemoryStore } from "./store/memory.ts";
import type { MemoryTables } from "./store/memory-tables.ts";
import type { DeliveryRecord, KeyRecord, LedgerEntry } from "./store/records.ts";
import type { MockFaults } from "./steering/faults.ts";
import type { MockJournal } from "./steering/journal.ts";
import { Steering } from "./steering/steering.ts";
import { abortable, type OpenCalls } from "./abortable.ts";
import { WorldClock, type ClockMode } from "./world/clock.ts";
import { freshSeed } from "./world/random.ts";
import { mark } from "./version.ts";
import { createWorld } from "./world/world.ts";

/** How a reference server is to be. */
export interface MockOptions extends SettingsInput {
  /**
   * A named set of option values: `default`, or `contrary` with every option at its other value.
   * @default "default"
   */
  profile?: ProfileName;
  /** Options that differ from the profile. */
  options?: Partial<Options>;
  /**
   * `real` runs by itself; `manual` stands still until `clock.advance` moves it.
   * @default "real"
   */
  clock?: ClockMode;
  /**
   * Fixes ids and signatures; with a manual clock, times too.
   * @default another one at each start
   */
  seed?: string | number;
  /**
   * The address that stands in for the server's when it is called in process.
   * @default "https://tryon-mock.test"
   */
  baseUrl?: string;
}

/** A running reference server. Everything it knows hangs on it, and nothing is shared between two of them. */
export interface Mock {
  /** The server as a function: give it to the client as its `fetch`, and nothing goes over a network. */
  readonly fetch: typeof globalThis.fetch;
  readonly baseUrl: string;
  /** The tokens of the keys that every server has. */
  readonly keys: DefaultKeys;
  /** The webhook secret of those keys. */
  readonly webhookSecret: string;
  /** The server's time. */
  readonly clock: WorldClock;
  /** The value of every option. */
  readonly options: Options;
  /** What is to go wrong. */
  readonly faults: MockFaults;
  /** What calls came. */
  readonly journal: MockJournal;
  /** Makes another key. */
  createKey(key?: NewKey): Promise<KeyRecord>;
  /**
   * Makes a key with a world of its own, so that parallel tests can share a server and never meet.
   *
   * @example
   * ```ts
   * const tenant = await mock.tenant({ credits: 40 });
   * const tryon = new TryOn({ apiKey: tenant.apiKey, baseUrl: mock.baseUrl, fetch: mock.fetch });
   * ```
   */
  tenant(key?: NewTenant): Promise<Tenant>;
  /** Every change of a key's balance, oldest first, and the balance; undefined for an unknown key. */
  ledger(token: string): Promise<{ entries: readonly LedgerEntry[]; balance: number } | undefined>;
  readonly webhooks: {
    /** Deliveries, oldest first: of one job, or all. */
    deliveries(jobId?: string): Promise<readonly DeliveryRecord[]>;
    /**
     * Sends a delivery's bytes and signature once more, without retries.
     *
     * @returns the new delivery once it has been answered; on a manual clock, a receiver that hangs needs time to move.
     * @throws RangeError when there is no such delivery.
     */
    replay(deliveryId: string): Promise<DeliveryRecord>;
    /** Delivers the same event a second time, retries included; else as {@link replay}. */
    duplicate(deliveryId: string): Promise<DeliveryRecord>;
    /** Sends a changed body under the old signature, which receivers have to refuse; else as {@link replay}. */
    tamper(deliveryId: string): Promise<DeliveryRecord>;
  };
  /**
   * Says how the next job ends. What is said first counts for the first job, and it counts more than words in a prompt.
   *
   * @throws TypeError or RangeError naming the field and what it may be.
   * @example
   * ```ts
   * mock.nextJob({ outcome: "content_blocked" });
   * ```
   */
  nextJob(job: NextJob): void;
  /**
   * Settles a purchase that was not final, as the payment processor's notification does: `succeeded` gives its credits,
   * once.
   *
   * @param status @default "succeeded"
   * @throws RangeError when there is no such payment.
   */
  settlePayment(paymentIntentId: string, status?: string): Promise<void>;
  /**
   * Takes down everything that the server knows, its time included, as soon as the calls under way have been answered
   * or wait for a job. It holds no picture that was sent: those of waiting jobs are made now. Held calls are not in it.
   */
  snapshot(): Promise<Snapshot>;
  /**
   * Puts the server at once back into an earlier state, as often as you like. Its jobs and deliveries go on from there;
   * an attempt that was under way is made anew. Calls under way reject as when a connection breaks, a move of time ends,
   * and timers that others have set on the clock keep the time that they had left.
   *
   * @throws TypeError when the snapshot is another server's.
   */
  restore(snapshot: Snapshot): Promise<void>;
  /** Puts the server back to its start, as {@link Mock.restore} does: the same seed gives the same ids again. */
  reset(): Promise<void>;
  /** Ends the server: nothing is pending afterwards, calls under way and later ones are refused. */
  close(): void;
}

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
  const clock = new WorldClock({ mode: input.clock ?? "real" });
  const seed = String(input.seed ?? freshSeed());
  const stock = stockEngine();
  const { network } = input;
  const { allowPrivateWebhooks, allowPrivateImages } = settings;
  const webhookRules = {
    allowPrivate: allowPrivateWebhooks,
    setting: "allowPrivateWebhooks",
  } as const;
  const way = new WebhookWay(input.sendWebhook, (request) =>
    sendGuarded(request, network, webhookRules),
  );
  const steering = new Steering({ clock, seed, journalLimit: settings.journalLimit });
  const begin = (tables?: MemoryTables) => {
    const world = createWorld({ clock, seed });
    const store = new MemoryStore(tables);
    const context = {
      store,
      world,
      options,
      settings,
      engine: input.engine ?? stock,
      stockEngine: stock,
    };
    const service = new Service(context, {
      processor: embeddedProcessor,
      sendWebhook: (request) => steering.webhook(request, (sent) => way.send(sent)),
      imageFetch:
        settings.images === "fetch"
          ? new ImageFetch({ world, network, allowPrivate: allowPrivateImages })
          : undefined,
    });
    const app = createApp(createSite({ service, world, settings, journal: steering.journal }), {
      mark,
      paymentSecret,
      steer: (request, work) => steering.within(request, work, world.clock),
    });
    const ready = tables === undefined ? defaultKeys.create(service.keys) : Promise.resolve();
    return { world, store, service, app, ready };
  };
  const worlds = new Worlds(clock, begin, steering.parts);
  const settled = async () => {
    const { current } = worlds;
    await current.ready;
    return current;
  };
  const open: OpenCalls = new Set();
  const closedMessage = "The reference server has been closed; make a new one.";
  let closed = false;

  const handle = (request: Request): Promise<Response> =>
    clock.during(async () => {
      refuseWhenClosed();
      const { app } = await settled();
      return steering.around(request, () => app.fetch(request));
    });

  const refuseWhenClosed = (): void => {
    if (closed) throw new TypeError(closedMessage);
  };

  const endCalls = (message: string): void => {
    for (const end of open) end(new TypeError(message));
  };

  return way.attachTo<Mock>({
    fetch: async (resource, init) => {
      const request =
        resource instanceof Request && init === undefined ? resource : new Request(resource, init);
      if (request.bodyUsed)
        throw new TypeError("The body of the request was read before; send a new one.");
      return abortable(handle(request), request.signal, open);
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
    nextJob: (job) => worlds.current.service.nextJobs.add(readNextJob(job)),
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
    },
  });
}
