import { WebhookDelivery } from "../delivery/webhook-delivery.ts";
import type { ServiceContext } from "./context.ts";
import { ImageFetch } from "./image-fetch.ts";
import { JobScheduler } from "./job-scheduler.ts";
import { createJobs } from "./jobs.ts";
import { Keys } from "./keys.ts";
import { Purchases } from "./purchases.ts";
import { createResultUrls } from "./result-urls.ts";
import { Submissions } from "./submissions.ts";

export type Service = ReturnType<typeof createService>;

export function createService(context: ServiceContext) {
  const { options, settings, store, system } = context;
  const results = createResultUrls(`results:${system.random.token(32)}`, options.resultsOrigin);
  const deliveries = new WebhookDelivery(context, results);
  const jobs = createJobs(context);
  const scheduler = new JobScheduler(context, deliveries, () => jobs.purge());
  const imageFetch = settings.images === "fetch" ? new ImageFetch(context) : undefined;
  const submissions = new Submissions(context, scheduler, imageFetch);
  return {
    options,
    results,
    deliveries,
    submissions,
    nextJobs: submissions.nextJobs,
    keys: new Keys(context),
    jobs,
    purchases: new Purchases(context),
    now: () => system.clock.now(),
    close(): void {
      imageFetch?.close();
      deliveries.close();
    },
    resume(): void {
      jobs.purge();
      scheduler.resume();
      deliveries.resume();
      submissions.resume();
    },
    ledger: (token: string) =>
      store.transact((tables) => {
        const key = tables.keyByToken(token);
        return key && { entries: tables.ledger.all(key.id), balance: key.credits };
      }),
  };
}
