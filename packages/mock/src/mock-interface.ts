import type { DefaultKeys } from "./default-keys.ts";
import type { Options, Profile, ProfileName } from "./options.ts";
import type { NewKey } from "./service/new-key.ts";
import type { SettingsInput } from "./settings.ts";
import type { MockFaults } from "./control/faults.ts";
import type { MockJournal } from "./control/journal.ts";
import type { NextJob } from "./control/next-job.ts";
import type { NewTenant, Tenant } from "./control/tenant.ts";
import type { Snapshot } from "./control/server-states.ts";
import type { DeliveryRecord, KeyRecord, LedgerEntry } from "./store/records.ts";
import type { ClockMode, SystemClock } from "./system/clock.ts";

/** How a reference server is to be. */
export interface MockOptions extends SettingsInput {
  /**
   * A named set of option values: `default`, or `alternate` with every option at its other value. Or how a deployment was
   * observed to behave, as `tryon-contract --profile` writes it.
   * @default "default"
   */
  profile?: ProfileName | Profile;
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
  readonly clock: SystemClock;
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
    /** Delivers the same event a second time, retries included; else as `replay`. */
    duplicate(deliveryId: string): Promise<DeliveryRecord>;
    /** Sends a changed body under the old signature, which receivers have to refuse; else as `replay`. */
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
   * or wait for a job. It holds no image that was sent: those of waiting jobs are made now. Held calls are not in it.
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
