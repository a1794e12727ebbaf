import { Api } from "./api/api.ts";
import { SpendTracker } from "./billing/spend-tracker.ts";
import type { TryOnOptions } from "./config/options.ts";
import { resolveConfig } from "./config/resolve-config.ts";
import { FetchTransport } from "./http/fetch-transport.ts";
import { RateLimiter } from "./http/rate-limiter.ts";
import type { HttpContext } from "./http/send-with-retries.ts";
import type { JobContext } from "./jobs/job-context.ts";
import { JobPoller } from "./jobs/job-poller.ts";
import { JobSubmitter } from "./jobs/job-submitter.ts";

/** Parts of a client, made once. */
export interface ClientContext extends HttpContext, JobContext {
  readonly jobSubmitter: JobSubmitter;
}

/** Resolves the options of a client and makes its parts. Throws `invalid_config`, `unsafe_environment` or `invalid_input`. */
export function createContext(options: TryOnOptions): ClientContext {
  const config = resolveConfig(options);
  const rateLimiter = new RateLimiter(config.clock, config.random);
  const transport = new FetchTransport(config);
  const api = new Api({ config, rateLimiter, transport });
  const spendTracker = new SpendTracker(config, api);
  const jobPoller = new JobPoller(api);
  const jobContext = { config, api, jobPoller, spendTracker };
  const jobSubmitter = new JobSubmitter(jobContext);
  return { ...jobContext, rateLimiter, transport, jobSubmitter };
}
