import { WebhookDelivery, type DeliveryAttemptPlan } from "../delivery/webhook-delivery.ts";
import type { Options } from "../options.ts";
import type { KeyRecord, LedgerEntry } from "../store/records.ts";
import { getKey } from "../store/store.ts";
import type { ServiceContext } from "./context.ts";
import { FirstResponses, type SyncRequest } from "./first-responses.ts";
import type { ImageFetch } from "./image-fetch.ts";
import { JobScheduler, type JobSchedulerState } from "./job-scheduler.ts";
import { Jobs } from "./jobs.ts";
import { Keys } from "./keys.ts";
import { NextJobs, type PlannedOutcome } from "./next-jobs.ts";
import type { PaymentProcessor } from "./payment-processor.ts";
import { Purchases } from "./purchases.ts";
import { ResultUrls } from "./result-urls.ts";
import { Submissions } from "./submissions.ts";

/** Parts of the service that its user supplies. */
export interface ServiceParts {
  readonly processor: PaymentProcessor;
  /** Plans the next attempt to deliver a webhook. */
  readonly planAttempt: () => DeliveryAttemptPlan;
  /** Undefined if the service accepts image URLs without fetching them. */
  readonly imageFetch?: ImageFetch | undefined;
}

/** State of the service outside its store, its scheduler and its random source. */
export interface ServiceState {
  readonly jobs: JobSchedulerState;
  readonly syncRequests: readonly SyncRequest[];
  readonly nextJobs: readonly PlannedOutcome[];
  /** Ids of deliveries with an unfinished attempt. */
  readonly delivering: readonly string[];
}

/** Rules of the service, without HTTP. */
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
  readonly #scheduler: JobScheduler;
  readonly #firstResponses: FirstResponses;
  readonly #imageFetch: ImageFetch | undefined;

  constructor(context: ServiceContext, parts: ServiceParts) {
    const { options, system } = context;
    this.#context = context;
    this.options = options;
    this.results = new ResultUrls(`results:${system.random.token(32)}`, options.resultsOrigin);
    const { results } = this;
    this.deliveries = new WebhookDelivery({ ...context, results, planAttempt: parts.planAttempt });
    this.keys = new Keys(context);
    this.jobs = new Jobs(context);
    this.#imageFetch = parts.imageFetch;
    this.#scheduler = new JobScheduler(context, this.deliveries);
    this.#firstResponses = new FirstResponses(context, this.#scheduler);
    this.submissions = new Submissions(context, {
      scheduler: this.#scheduler,
      firstResponses: this.#firstResponses,
      nextJobs: this.nextJobs,
      imageFetch: parts.imageFetch,
    });
    this.purchases = new Purchases(context, parts.processor);
  }

  /** Aborts webhook deliveries and image fetches. */
  close(): void {
    this.#imageFetch?.close();
    this.deliveries.close();
  }

  /** Renders what {@link state} needs of waiting jobs. */
  precompute(): Promise<void> {
    return this.#scheduler.precompute();
  }

  /** Undefined while an image is being rendered. */
  state(): ServiceState | undefined {
    const jobs = this.#scheduler.state();
    return (
      jobs && {
        jobs,
        syncRequests: this.#firstResponses.state,
        nextJobs: this.nextJobs.state,
        delivering: this.deliveries.inProgress,
      }
    );
  }

  /** Restores a state, after the system's scheduler has its tasks. */
  resume(state: ServiceState): void {
    const { scheduler } = this.#context.system;
    this.#scheduler.resume(state.jobs);
    this.nextJobs.resume(state.nextJobs);
    for (const id of state.delivering) scheduler.add({ kind: "delivery", id, dueAt: this.now() });
    this.#firstResponses.resume(state.syncRequests);
  }

  now(): number {
    return this.#context.system.clock.now();
  }

  /** Start time of a running job. Undefined for any other job. */
  startedAt(jobId: string): number | undefined {
    return this.#scheduler.startedAt(jobId);
  }

  /** Reads a key. */
  async account(keyId: string): Promise<KeyRecord> {
    return this.#context.store.transact((transaction) => getKey(transaction, keyId));
  }

  /** Reads the balance of a key and its changes, oldest first. */
  async ledger(
    token: string,
  ): Promise<{ entries: readonly LedgerEntry[]; balance: number } | undefined> {
    return this.#context.store.transact((transaction) => {
      const key = transaction.keyByToken(token);
      if (key === undefined) return undefined;
      return { entries: transaction.ledger(key.id), balance: key.credits };
    });
  }
}
