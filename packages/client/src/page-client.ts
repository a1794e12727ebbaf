import { isApp } from "#app";
import { jobParts } from "#parts";
import { describePath } from "#runtime";
import { fetchTransport } from "#transport";

import { Api } from "./api/api.ts";
import { checkApp } from "./config/check-app.ts";
import { pageOptionNames, type PageClientOptions } from "./config/page-options.ts";
import { defaults, type Clock } from "./config/options.ts";
import { rejectUnknown, resolvePageConfig, type Config } from "./config/resolve-config.ts";
import type { InputIssue } from "./errors/input-issue.ts";
import { usePart } from "./errors/use-part.ts";
import { within, type Deadline } from "./http/deadline.ts";
import { PageLimiter } from "./http/page-limiter.ts";
import type { JobContext, JobContexts } from "./jobs/client-context.ts";
import { JobPoller } from "./jobs/job-poller.ts";
import { JobSubmitter } from "./jobs/job-submitter.ts";
import { parseInput } from "./jobs/parse-input.ts";
import { restoreJob } from "./jobs/job-record.ts";
import type { RunOptions, SubmitOptions } from "./jobs/run-options.ts";
import type { CallOptions, Duration } from "./types/call-options.ts";
import type { Job, SavedJob, TryOnResult } from "./types/job.ts";
import type { InputArgument } from "./types/try-on-input.ts";

/**
 * Client for pages, which sends its requests through the proxy of your app. It has what a page needs, and less weight than
 * `TryOn`: no API key, prices, budgets, purchases and lists. It pays for each try-on at most once and never loses a job, with
 * the same code. The service checks its limits, unless a call sets `validate`.
 *
 * @throws `invalid_input` for an unknown option. The first request throws `invalid_config` for an invalid URL, and
 * `unsafe_environment` for http to another site.
 * @example
 * import { createTryOnSession, PageClient } from "@tryon/client/session";
 *
 * const session = createTryOnSession(new PageClient({ baseUrl: "/api/tryon" }));
 */
export class PageClient {
  readonly #contexts: PageContexts;
  readonly #jobSubmitter: JobSubmitter;

  /** Jobs of the user. */
  readonly jobs: PageJobs;

  constructor(options: PageClientOptions) {
    rejectUnknown("PageClient", options, pageOptionNames);
    if (isApp) checkApp();
    this.#contexts = new PageContexts({ ...options });
    this.#jobSubmitter = new JobSubmitter(this.#contexts);
    this.jobs = { resume: (saved) => restoreJob(this.#contexts, saved) };
  }

  /**
   * Submits a try-on and waits for the result.
   *
   * @throws as `run` of `TryOn`
   * @example
   * const result = await page.run({ person: photo, garments: [shirt] });
   * image.src = URL.createObjectURL(await result.image.blob());
   */
  async run(input: InputArgument, options: RunOptions = {}): Promise<TryOnResult> {
    return (await this.#jobSubmitter.run(input, options)).data;
  }

  /**
   * Submits a try-on and returns its job as soon as the service has accepted it.
   *
   * @throws as `submit` of `TryOn`
   * @example
   * const job = await page.submit({ person: photo, garments: [shirt] });
   * const { image } = await job.result();
   */
  async submit(input: InputArgument, options: SubmitOptions = {}): Promise<Job> {
    return (await this.#jobSubmitter.submit(input, options)).data;
  }

  /**
   * Validates an input without sending anything, as `validate` of `TryOn`. The first call loads the code.
   *
   * @throws `connection_failed` if the page cannot load the code
   * @example
   * for (const { field, code, severity } of await page.validate(input)) console.log(severity, field, code);
   */
  async validate(input: InputArgument): Promise<readonly InputIssue[]> {
    const parsed = parseInput(input);
    return (await usePart(jobParts.checks)).validateParsed(parsed, describePath);
  }

  /**
   * Returns a fingerprint of the API key of the proxy, with one request, or undefined if the proxy is older. Pass it to `submit`
   * as `apiKeyFingerprint`, so that a retry is not charged again after a change of the key.
   *
   * @throws the abort reason of `signal`; errors of the request
   * @example
   * const apiKeyFingerprint = await page.apiKeyFingerprint();
   */
  async apiKeyFingerprint(options: CallOptions = {}): Promise<string | undefined> {
    return this.#contexts.within(options, defaults.callTimeout, ({ api }, deadline) =>
      api.getFingerprint({ deadline }),
    );
  }

  /** Clock of the client. */
  get clock(): Clock {
    return this.#contexts.config.givenClock;
  }

  /** Time after its first attempt in which a submission may be retried, in milliseconds: 90 % of the `idempotencyWindow`. */
  get idempotencyWindow(): number {
    return this.#contexts.config.idempotencyWindow;
  }

  /** Returns what is safe to log. */
  toJSON(): {
    /** `PageClient`, the name of the class. */
    name: string;
  } {
    return { name: "PageClient" };
  }
}

/** Jobs of a user in a page. */
export interface PageJobs {
  /**
   * Returns a job that this or another page submitted, without a request.
   *
   * @param saved - Id of the job, or its parsed JSON.
   * @throws `invalid_input` for any other value.
   * @example
   * const result = await page.jobs.resume(JSON.parse(saved)).result();
   */
  readonly resume: (saved: string | SavedJob) => Job;
}

/** The one context of a page, which has no key. */
class PageContexts implements JobContexts {
  readonly parts = jobParts;
  readonly #options: PageClientOptions;
  #context: JobContext | undefined;

  constructor(options: PageClientOptions) {
    this.#options = options;
  }

  /** Configuration. The first use reads the URL of the page, which a server does not have. */
  get config(): Config {
    return this.#current.config;
  }

  get #current(): JobContext {
    return (this.#context ??= createContext(resolvePageConfig(this.#options)));
  }

  within<Result>(
    options: CallOptions,
    timeout: Duration | undefined,
    work: (context: JobContext, deadline: Deadline) => Promise<Result>,
    names?: Readonly<Record<string, true>>,
  ): Promise<Result> {
    const withContext = (deadline: Deadline) => work(this.#current, deadline);
    return within(this.config, options, timeout, withContext, names);
  }

  withKey<Result>(
    deadline: Deadline,
    work: (context: JobContext, deadline: Deadline) => Promise<Result>,
  ): Promise<Result> {
    return work(this.#current, deadline);
  }

  async acquire(): Promise<JobContext> {
    return this.#current;
  }

  async acquireFor(): Promise<JobContext> {
    return this.#current;
  }
}

function createContext(config: Config): JobContext {
  const { explain } = jobParts;
  const rateLimiter = new PageLimiter(config.clock, config.random);
  const api = new Api({ config, rateLimiter, transport: fetchTransport(config), explain });
  return { config, api, jobPoller: new JobPoller(api, new Set()) };
}
