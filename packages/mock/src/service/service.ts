import { WebhookDelivery } from "../delivery/webhook-delivery.ts";
import type { Options } from "../options.ts";
import type { KeyRecord, LedgerEntry } from "../store/records.ts";
import type { ServiceContext } from "./context.ts";
import { JobLife } from "./job-life.ts";
import { Jobs } from "./jobs.ts";
import { Keys, mustFind } from "./keys.ts";
import type { PaymentProcessor } from "./payment-processor.ts";
import { Purchases } from "./purchases.ts";
import { ResultAddresses } from "./result-address.ts";
import { Submissions } from "./submissions.ts";

/** What the service needs from outside besides its own context. */
export interface ServiceParts {
  readonly processor: PaymentProcessor;
  readonly sendWebhook: (request: Request) => Promise<Response>;
}

/** The rules of the service behind one door; knows no HTTP. */
export class Service {
  readonly keys: Keys;
  readonly jobs: Jobs;
  readonly submissions: Submissions;
  readonly purchases: Purchases;
  readonly results: ResultAddresses;
  readonly options: Options;
  readonly #context: ServiceContext;
  readonly #delivery: WebhookDelivery;

  constructor(context: ServiceContext, parts: ServiceParts) {
    const { options, world, store } = context;
    this.#context = context;
    this.options = options;
    this.results = new ResultAddresses(`results:${world.random.token(32)}`, options.resultsOrigin);
    this.#delivery = new WebhookDelivery({
      store,
      world,
      options,
      results: this.results,
      send: parts.sendWebhook,
    });
    this.keys = new Keys(context);
    this.jobs = new Jobs(context);
    this.submissions = new Submissions(context, new JobLife(context, this.#delivery));
    this.purchases = new Purchases(context, parts.processor);
  }

  /** Breaks off what is being sent. */
  close(): void {
    this.#delivery.close();
  }

  now(): number {
    return this.#context.world.clock.now();
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
