import { WebhookDelivery } from "../delivery/webhook-delivery.ts";
import type { Options } from "../options.ts";
import type { LedgerEntry } from "../store/records.ts";
import type { ServiceContext } from "./context.ts";
import { ImageFetch } from "./image-fetch.ts";
import { JobScheduler } from "./job-scheduler.ts";
import { Jobs } from "./jobs.ts";
import { Keys } from "./keys.ts";
import type { NextJobs } from "./next-jobs.ts";
import { Purchases } from "./purchases.ts";
import { ResultUrls } from "./result-urls.ts";
import { Submissions } from "./submissions.ts";

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

  close(): void {
    this.#imageFetch?.close();
    this.deliveries.close();
  }

  /** Continues the jobs, deliveries and requests of the store. */
  resume(): void {
    this.#scheduler.resume();
    this.deliveries.resume();
    this.submissions.resume();
  }

  now(): number {
    return this.#context.system.clock.now();
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
