import { Api } from "../api/api.ts";
import { KeyContexts } from "../api/key-contexts.ts";
import { budgetOf } from "../billing/budget.ts";
import { SpendTracker } from "../billing/spend-tracker.ts";
import type { TryOnOptions } from "../config/options.ts";
import type { Config } from "../config/resolve-config.ts";
import { FetchTransport } from "../http/fetch-transport.ts";
import { RateLimiter } from "../http/rate-limiter.ts";
import { JobPoller } from "./job-poller.ts";

/** Parts of a client for one API key. */
export interface ClientContext {
  readonly config: Config;
  readonly api: Api;
  readonly jobPoller: JobPoller;
  readonly spendTracker: SpendTracker;
}

/** Contexts of a client. */
export type ClientContexts = KeyContexts<ClientContext>;

/** Creates the contexts of a client, which share its budget. */
export function createContexts(options: TryOnOptions): ClientContexts {
  const budget = options.budget && budgetOf(options.budget);
  return new KeyContexts({ ...options, budget }, (config) => {
    const rateLimiter = new RateLimiter(config.clock, config.random);
    const api = new Api({ config, rateLimiter, transport: new FetchTransport(config) });
    return {
      config,
      api,
      jobPoller: new JobPoller(api),
      spendTracker: new SpendTracker(config, api),
    };
  });
}
