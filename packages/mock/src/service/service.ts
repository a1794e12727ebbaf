import { WebhookDelivery } from "../delivery/webhook-delivery.ts";
import type { Options } from "../options.ts";
import type { LedgerEntry } from "../store/records.ts";
import type { ServiceContext } from "./context.ts";
import type { SyncRequest } from "./first-responses.ts";
import { ImageFetch } from "./image-fetch.ts";
import { JobScheduler, type UnfinishedJobState } from "./job-scheduler.ts";
import { Jobs } from "./jobs.ts";
import { Keys } from "./keys.ts";
import type { NextJobs, PlannedOutcome } from "./next-jobs.ts";
import { Purchases } from "./purchases.ts";
import { ResultUrls } from "./result-urls.ts";
import { Submissions } from "./submissions.ts";

/** State of the service outside its store, its scheduler and its random source. */
export interface ServiceState {
  readonly jobs: readonly UnfinishedJobState[];
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
  readonly nextJobs: NextJobs;
  readonly #scheduler: JobScheduler;
  /** Undefined if the service accepts image URLs without fetching them. */
  readonly #imageFetch: ImageFetch | undefined;

  constructor(context: ServiceContext) {
    const { options, system } = context;
    this.#context = context;
    this.options = options;
    this.results = new ResultUrls(`results:${system.random.token(32)}`, options.resultsOrigin);
    this.deliveries = new WebhookDelivery(context, this.results);
    this.keys = new Keys(context);
    this.jobs = new Jobs(context);
    if (context.settings.images === "fetch") this.#imageFetch = new ImageFetch(context);
    this.#scheduler = new JobScheduler(context, this.deliveries);
    this.submissions = new Submissions(context, this.#scheduler, this.#imageFetch);
    this.nextJobs = this.submissions.nextJobs;
    this.purchases = new Purchases(context);
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
        syncRequests: this.submissions.firstResponses.state,
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
    this.submissions.firstResponses.resume(state.syncRequests);
  }

  now(): number {
    return this.#context.system.clock.now();
  }

  /** Start time of a running job. Undefined for any other job. */
  startedAt(jobId: string): number | undefined {
    return this.#scheduler.startedAt(jobId);
  }

  /** Reads the balance of a key and its changes, oldest first. */
  ledger(token: string): { entries: readonly LedgerEntry[]; balance: number } | undefined {
    return this.#context.store.transact((tables) => {
      const key = tables.keyByToken(token);
      if (key === undefined) return undefined;
      return { entries: tables.ledger.all(key.id), balance: key.credits };
    });
  }
}
