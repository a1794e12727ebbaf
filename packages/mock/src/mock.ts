import packageJson from "../package.json" with { type: "json" };
import { stockEngine } from "./engine/stock.ts";
import { createApp } from "./http/app.ts";
import { createSite } from "./http/calls.ts";
import { defaultKeys, webhookSecret, type DefaultKeys } from "./default-keys.ts";
import { resolveOptions, type Options, type ProfileName } from "./options.ts";
import { Service } from "./service/service.ts";
import type { NewKey } from "./service/keys.ts";
import { embeddedProcessor } from "./service/payment-processor.ts";
import { resolveSettings, type SettingsInput } from "./settings.ts";
import { MemoryStore } from "./store/memory.ts";
import type { DeliveryRecord, KeyRecord, LedgerEntry } from "./store/records.ts";
import { abortable, type OpenCalls } from "./abortable.ts";
import type { ClockMode, WorldClock } from "./world/clock.ts";
import { host } from "./world/host.ts";
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
  /** Makes another key. */
  createKey(key?: NewKey): Promise<KeyRecord>;
  /** Every change of a key's balance, oldest first, and the balance; undefined for an unknown key. */
  ledger(token: string): Promise<{ entries: readonly LedgerEntry[]; balance: number } | undefined>;
  readonly webhooks: {
    /** Deliveries, oldest first: of one job, or all. */
    deliveries(jobId?: string): Promise<readonly DeliveryRecord[]>;
  };
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
  const world = createWorld(input);
  const store = new MemoryStore();
  const stock = stockEngine();
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
    sendWebhook: input.sendWebhook ?? ((request) => host.fetch(request)),
  });
  const app = createApp(createSite({ service, world, settings }), {
    mark: `tryon-mock/${packageJson.version}`,
    paymentSecret,
  });
  const ready = defaultKeys.create(service.keys);
  const open: OpenCalls = new Set();
  const closedMessage = "The reference server has been closed; make a new one.";
  let closed = false;

  const handle = (request: Request): Promise<Response> =>
    world.clock.during(async () => {
      if (closed) throw new TypeError(closedMessage);
      await ready;
      return app.fetch(request);
    });

  return {
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
    clock: world.clock,
    options,
    createKey: async (key = {}) => {
      await ready;
      return service.keys.create(key);
    },
    ledger: async (token) => {
      await ready;
      return service.ledger(token);
    },
    webhooks: {
      deliveries: (jobId) => store.transact((transaction) => transaction.deliveries(jobId)),
    },
    close: () => {
      closed = true;
      world.clock.close();
      service.close();
      for (const end of open) end(new TypeError(closedMessage));
    },
  };
}
