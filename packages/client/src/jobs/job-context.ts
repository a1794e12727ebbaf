import type { Api } from "../api/api.ts";
import type { SpendTracker } from "../billing/spend-tracker.ts";
import type { Config } from "../config/resolve-config.ts";
import type { JobPoller } from "./job-poller.ts";

/** Parts of the client that jobs use. */
export interface JobContext {
  readonly config: Config;
  readonly api: Api;
  readonly jobPoller: JobPoller;
  readonly spendTracker: SpendTracker;
}
