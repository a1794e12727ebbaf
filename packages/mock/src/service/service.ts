import { WebhookDelivery, type DeliveryAttemptPlan } from "../delivery/webhook-delivery.ts";
import type { Options } from "../options.ts";
import type { KeyRecord, LedgerEntry } from "../store/records.ts";
import type { ServiceContext } from "./context.ts";
import type { ImageFetch } from "./image-fetch.ts";
import { SyncRequests, type SyncRequest } from "./sync-requests.ts";
import { JobScheduler, type JobSchedulerState } from "./job-scheduler.ts";
import { Jobs } from "./jobs.ts";
import { Keys, mustFind } from "./keys.ts";
import { NextJobs, type PlannedOutcome } from "./next-jobs.ts";
import type { PaymentProcessor } from "./payment-processor.ts";
import { Purchases } from "./purchases.ts";
import { Replays } from "./replays.ts";
import { ResultUrls } from "./result-urls.ts";
import { Submissions } from "./submissions.ts";

/** What the service needs from outside besides its own context. */
export interface ServiceParts {
  readonly processor: PaymentProcessor;
  /** How the next webhook leaves. */
  readonly depart: () => DeliveryAttemptPlan;
  /** Left out where an address counts as an image without being fetched. */
  readonly imageFetch?: ImageFetch | undefined;
}

/** What the service knows besides its store, its scheduler and its stream of chance. */
export interface ServiceState {
  readonly life: JobSchedulerState;
  readonly held: readonly SyncRequest[];
  readonly nextJobs: readonly PlannedOutcome[];
  /** The deliveries whose attempt was not over. */
  readonly delivering: readonly string[];
}

/** The rules of the service behind one door; knows no HTTP. */
export class Service {
  readonly keys: Keys;
  readonly jobs: Jobs;
  readonly submissions: Submissions;
  readonly purchases: Purchases;
  readonly results: ResultUrls;
  readonly options: Options;
  readonly #context: ServiceContext;
  readonly deliveries: WebhookDelivery;
  readonly nextJobs = new NextJobs();
  readonly #life: JobScheduler;
  readonly #imageFetch: ImageFetch | undefined;
  readonly #held: SyncRequests;

  constructor(context: ServiceContext, parts: ServiceParts) {
    const { options, system, store } = context;
    this.#context = context;
    this.options = options;
    this.results = new ResultUrls(`results:${system.random.token(32)}`, options.resultsOrigin);
    this.deliveries = new WebhookDelivery({
      store,
      system,
      options,
      results: this.results,
      depart: parts.depart,
    });
    this.keys = new Keys(context);
    this.jobs = new Jobs(context);
    this.#imageFetch = parts.imageFetch;
    this.#life = new JobScheduler(context, this.deliveries);
    const [life, nextJobs, replays] = [this.#life, this.nextJobs, new Replays(context)];
    const { imageFetch } = parts;
    this.#held = new SyncRequests(context, life, replays);
    this.submissions = new Submissions(context, {
      life,
      nextJobs,
      replays,
      held: this.#held,
      imageFetch,
    });
    this.purchases = new Purchases(context, parts.processor);
  }

  /** Breaks off what is being sent and fetched. */
  close(): void {
    this.#imageFetch?.close();
    this.deliveries.close();
  }

  /** Makes what has to be known of waiting jobs before {@link state} can tell it. */
  precompute(): Promise<void> {
    return this.#life.foresee();
  }

  /** Undefined while an image is still being made. */
  state(): ServiceState | undefined {
    const life = this.#life.state();
    if (life === undefined) return undefined;
    const [held, nextJobs] = [this.#held.state, this.nextJobs.state];
    return { life, held, nextJobs, delivering: this.deliveries.underWay };
  }

  /** Goes on from a state, once the scheduler has its tasks. */
  resume(state: ServiceState): void {
    const { scheduler } = this.#context.system;
    this.#life.resume(state.life);
    this.nextJobs.resume(state.nextJobs);
    for (const id of state.delivering) scheduler.add({ kind: "delivery", id, dueAt: this.now() });
    this.#held.resume(state.held);
  }

  now(): number {
    return this.#context.system.clock.now();
  }

  /** When a job that has not ended began to run; undefined for one that waits, and for one that has ended. */
  startedAt(jobId: string): number | undefined {
    return this.#life.startedAt(jobId);
  }

  /** The key as it stands now. */
  account(keyId: string): Promise<KeyRecord> {
    return this.#context.store.transact((transaction) => mustFind(transaction, keyId));
  }

  /** Every change of a key's balance, oldest first, and the balance. */
  ledger(token: string): Promise<{ entries: readonly LedgerEntry[]; balance: number } | undefined> {
    return this.#context.store.transact(async (transaction) => {
      const key = await transaction.keyByToken(token);
      if (key === undefined) return undefined;
      return { entries: await transaction.ledger(key.id), balance: key.credits };
    });
  }
}
