import { accepting, anything, oneOf, string, type Rule } from "@tryon/shared/options";

import type { DefaultKeys } from "./default-keys.ts";
import type { Options, Profile, ProfileName } from "./options.ts";
import type { NewKey } from "./service/new-key.ts";
import { settingRules, type SettingsInput } from "./settings.ts";
import type { MockFaults } from "./control/faults.ts";
import type { MockJournal } from "./control/journal.ts";
import type { NextJob } from "./control/next-job.ts";
import type { NewTenant, Tenant } from "./control/tenant.ts";
import type { Snapshot } from "./control/server-states.ts";
import type { DeliveryRecord, KeyRecord, LedgerEntry } from "./store/records.ts";
import type { MockStore } from "./store/state-log.ts";
import type { ClockMode, SystemClock } from "./system/clock.ts";

/** Options of `createMock`. */
export interface MockOptions extends SettingsInput {
  /**
   * Option values: `default`, `alternate` with every option at its other value, or the values of a deployment as
   * `tryon-contract --profile` writes them.
   * @default "default"
   */
  profile?: ProfileName | Profile;
  /** Options that differ from the profile. */
  options?: Partial<Options>;
  /**
   * `real` follows the machine; `manual` moves only by `clock.advance`.
   * @default "real"
   */
  clock?: ClockMode;
  /**
   * Fixes ids and signatures; with a manual clock, times too.
   * @default a new one at each start and reset, so that no two tests get the same job id
   */
  seed?: string | number;
  /**
   * URL of the server when it is used in process.
   * @default "https://tryon-mock.test"
   */
  baseUrl?: string;
  /**
   * Keeps the state of the server beyond its process, such as `createSqliteStore(file)` of `@tryon/mock/node`. A later
   * server with the same state continues its jobs, deliveries and time. Its seed is that of the state. Faults, planned
   * outcomes and the journal are not kept.
   * @default the state is lost when the process ends
   */
  store?: MockStore;
}

export const mockRules = {
  ...settingRules,
  profile: anything<ProfileName | Profile>(),
  options: anything<Partial<Options>>(),
  clock: { ...oneOf("real", "manual"), fallback: "real" },
  seed: accepting<string | number>("a string or a number", (given) =>
    ["string", "number"].includes(typeof given),
  ),
  baseUrl: { ...string(), fallback: "https://tryon-mock.test" },
  store: anything<MockStore>(),
} satisfies Record<keyof MockOptions, Rule>;

/** A running reference server. Two servers share no state. */
export interface Mock {
  /** Handles a request. Pass it to the client as its `fetch`, and no request goes over a network. */
  readonly fetch: typeof globalThis.fetch;
  /** URL of the server in process, as the option of the same name sets it. */
  readonly baseUrl: string;
  /** Tokens of the keys that every server has. */
  readonly keys: DefaultKeys;
  /** Webhook secret of those keys. */
  readonly webhookSecret: string;
  /** Time of the server. */
  readonly clock: SystemClock;
  /** Value of every option. */
  readonly options: Options;
  /** Faults that the server injects. */
  readonly faults: MockFaults;
  /** Requests that the server received. */
  readonly journal: MockJournal;
  /** Creates a key. */
  createKey(key?: NewKey): Promise<KeyRecord>;
  /**
   * Creates a key with its own account and data, so that parallel tests can share a server.
   *
   * @example
   * ```ts
   * const tenant = await mock.tenant({ credits: 40 });
   * const tryon = new TryOn({ apiKey: tenant.apiKey, baseUrl: mock.baseUrl, fetch: mock.fetch });
   * ```
   */
  tenant(key?: NewTenant): Promise<Tenant>;
  /** Returns the balance of a key and every change of it, oldest first, or undefined for an unknown key. */
  ledger(token: string): Promise<
    | {
        /** Changes of the balance, oldest first. */
        entries: readonly LedgerEntry[];
        /** Current balance in credits. */
        balance: number;
      }
    | undefined
  >;
  /** Webhooks that the server sends, and methods that repeat them. */
  readonly webhooks: {
    /** Lists the deliveries of one job, or of all, oldest first. */
    deliveries(jobId?: string): Promise<readonly DeliveryRecord[]>;
    /**
     * Sends a delivery's bytes and signature once more, without retries.
     *
     * @returns the new delivery after the receiver's response. With a manual clock and a receiver that does not respond,
     * move the clock.
     * @throws TypeError for an unknown delivery.
     */
    replay(deliveryId: string): Promise<DeliveryRecord>;
    /** Delivers the same event a second time, with retries. */
    duplicate(deliveryId: string): Promise<DeliveryRecord>;
    /** Sends a changed body under the old signature, without retries. Receivers must refuse it. */
    tamper(deliveryId: string): Promise<DeliveryRecord>;
  };
  /**
   * Sets the outcome of the next job. Several calls apply to one job each, in their order. They take precedence over words
   * in a prompt.
   *
   * @throws TypeError with the field and its valid values.
   * @example
   * ```ts
   * mock.nextJob({ outcome: "content_blocked" });
   * ```
   */
  nextJob(job: NextJob): void;
  /**
   * Settles a pending purchase, as the payment processor's notification does. `succeeded` adds its credits, once.
   *
   * @param status @default "succeeded"
   * @throws TypeError for an unknown payment.
   */
  settlePayment(paymentIntentId: string, status?: string): Promise<void>;
  /**
   * Saves the state of the server, its time included, after the requests in progress have ended or wait for a job. The
   * snapshot has no input images, because all results are rendered by then. It has no synchronous requests.
   */
  snapshot(): Promise<Snapshot>;
  /**
   * Restores an earlier state at once; a snapshot can be used repeatedly. Its jobs and deliveries continue, and an
   * interrupted delivery attempt is repeated. Requests in progress reject like a broken connection, and a move of the clock
   * ends. Timers that others set on the clock keep their remaining time.
   *
   * @throws TypeError for a snapshot of another server.
   */
  restore(snapshot: Snapshot): Promise<void>;
  /** Restores the state at the start, like {@link Mock.restore}. With `seed`, the ids are the same again, else new. */
  reset(): Promise<void>;
  /** Closes the server: it has no pending timers, and requests in progress and later ones are refused. */
  close(): void;
}
