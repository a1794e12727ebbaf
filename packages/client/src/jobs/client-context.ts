import { isPage } from "#page";
import { Connections, environmentLogger } from "#runtime";

import { Api, toCall, type Call, type Responded } from "../api/api.ts";
import { budgetOf } from "../billing/budget.ts";
import type { SpendCounter } from "../billing/spend-tracker.ts";
import { defaults, type TryOnOptions } from "../config/options.ts";
import { check, resolveConfig, type Config } from "../config/resolve-config.ts";
import { isTryOnError } from "../errors/is-tryon-error.ts";
import { inTime, within, type Deadline } from "../http/deadline.ts";
import { RateLimiter, readRateLimit } from "../http/rate-limiter.ts";
import type { SendConfig } from "../http/send-request.ts";
import type { HttpContext } from "../http/send-with-retries.ts";
import type { BudgetLimit, Counted } from "../types/budget.ts";
import type { CallOptions, Duration } from "../types/call-options.ts";
import type { KeySearch } from "../types/key-search.ts";
import { fingerprintOf } from "./fingerprint-of.ts";
import { JobPoller, type ListReader, type TakeTime } from "./job-poller.ts";
import type { InputChecks } from "./parse-input.ts";
import type { ImagePart } from "../images/job-image.ts";

/** Maximum number of keys whose contexts are kept. Calls and jobs keep theirs. */
const maxKeys = 16;

export interface JobContext {
  readonly config: Config;
  readonly api: Api;
  readonly jobPoller: JobPoller;
  /** Absent for a client of a proxy that counts no credits. */
  readonly spendTracker?: SpendCounter;
  readonly fingerprint?: string | undefined;
}

export interface ClientContext extends JobContext {
  readonly spendTracker: SpendCounter;
}

export interface SentSubmission {
  readonly idempotencyKey: string;
  readonly attemptLog: { readonly age: number | undefined };
  /** Earlier calls with the key. */
  readonly earlier: { readonly firstAttemptAt: number; readonly age: () => number } | undefined;
}

type FindSubmission = (
  submission: SentSubmission,
  fingerprint: string | undefined,
  deadline: Deadline,
) => Promise<KeySearch>;

export interface JobParts {
  readonly explain: HttpContext["explain"];
  readonly checks: InputChecks;
  readonly images: ImagePart;
}

export interface ClientParts extends JobParts {
  readonly identify: NonNullable<HttpContext["identify"]>;
  readonly loadMiddleware: NonNullable<SendConfig["loadMiddleware"]>;
  readonly loadList: ListReader;
  readonly createSpendCounter: (
    config: Config,
    api: Api,
    budget: Counted | undefined,
  ) => SpendCounter;
  readonly find: (
    contexts: ClientContexts,
    ...given: Parameters<FindSubmission>
  ) => Promise<KeySearch>;
}

export interface JobContexts {
  readonly config: Config;
  readonly parts: JobParts;
  within<Result>(
    options: CallOptions,
    timeout: Duration | undefined,
    work: (context: JobContext, deadline: Deadline) => Promise<Result>,
    names?: Readonly<Record<string, true>>,
  ): Promise<Result>;
  withKey<Result>(
    deadline: Deadline,
    work: (context: JobContext, deadline: Deadline) => Promise<Result>,
  ): Promise<Result>;
  acquire(deadline: Deadline): Promise<JobContext>;
  acquireFor(fingerprint: string | undefined, deadline: Deadline): Promise<JobContext>;
  /** Returns the budget of an option. Absent for a client that counts no credits. */
  readonly budgetOf?: (option: BudgetLimit) => Counted;
  /** Searches the list for a job. Absent for a client that has no list. */
  readonly find?: FindSubmission;
}

/** Returns true if a job or a submission with a fingerprint is known to belong to another key. */
export function isOther({ fingerprint: own }: JobContext, fingerprint: string | undefined) {
  return fingerprint !== undefined && own !== undefined && own !== fingerprint;
}

export class ClientContexts implements JobContexts {
  readonly #options: TryOnOptions;
  readonly #budget: Counted | undefined;
  readonly #contexts = new Map<string, ClientContext>();
  #recovery: readonly ClientContext[] | undefined;
  #config: Config | undefined;
  readonly connections: Connections;
  readonly parts: ClientParts;
  readonly pollSchedules: Set<TakeTime> = new Set();
  readonly budgetOf = budgetOf;
  readonly find: FindSubmission = (...given) => this.parts.find(this, ...given);
  latest: ClientContext | undefined;

  constructor(options: TryOnOptions, parts: ClientParts) {
    this.#options = options;
    this.parts = parts;
    this.connections = new Connections(options);
    this.#budget = options.budget && budgetOf(options.budget);
  }

  /** Configuration. It has no key if `apiKey` is a function. Reads the environment variables on first use. */
  get config(): Config {
    return (this.#config ??= this.#resolve(this.#options.apiKey));
  }

  async within<Result>(
    options: CallOptions,
    timeout: Duration | undefined,
    work: (context: ClientContext, deadline: Deadline) => Promise<Result>,
    names?: Readonly<Record<string, true>>,
  ): Promise<Result> {
    const withKey = (deadline: Deadline): Promise<Result> => this.withKey(deadline, work);
    return within(this.config, options, timeout, withKey, names);
  }

  call<Data>(
    options: CallOptions,
    work: (context: ClientContext, deadline: Deadline) => Promise<Responded<Data>>,
    names?: Readonly<Record<string, true>>,
  ): Call<Data> {
    return toCall(this.within(options, defaults.callTimeout, work, names));
  }

  /** Runs work with the context of the key, and again with another key if the service rejects it: that proves that nothing happened. */
  async withKey<Result>(
    deadline: Deadline,
    work: (context: ClientContext, deadline: Deadline) => Promise<Result>,
  ): Promise<Result> {
    const context = await this.acquire(deadline);
    try {
      return await work(context, deadline);
    } catch (error) {
      if (!isTryOnError(error, "unauthorized")) throw error;
      const renewed = await this.acquire(deadline);
      if (renewed === context) throw error;
      return work(renewed, deadline);
    }
  }

  async acquire(deadline: Deadline): Promise<ClientContext> {
    const { apiKey } = this.#options;
    if (typeof apiKey !== "function") return (this.latest ??= this.#create(this.config));
    const reading = Promise.resolve().then(apiKey);
    const given: unknown = await inTime(reading, deadline, "apiKey did not return a key in time.");
    const key = typeof given === "string" ? given.trim() : "";
    check(key, "apiKey did not return a key.", "Return svc_live_… or svc_test_….");
    let context = this.#contexts.get(key);
    if (!context) {
      context = this.#create(this.#resolve(key));
      if (this.#contexts.size === maxKeys) this.#contexts.clear();
      this.#contexts.set(key, context);
    }
    return (this.latest = context);
  }

  /**
   * Returns the context of the key with a fingerprint, or else the current one if nothing says that it is another key.
   *
   * @throws `invalid_config` if the client does not have the key.
   */
  async acquireFor(fingerprint: string | undefined, deadline: Deadline): Promise<ClientContext> {
    const current = await this.acquire(deadline);
    // Pages have no fingerprint.
    if (isPage || !isOther(current, fingerprint)) return current;
    const [found] = this.owners(current, fingerprint);
    check(
      found,
      `A job belongs to another API key, with the fingerprint ${fingerprint}.`,
      "Pass that key in recoveryKeys (TRYON_RECOVERY_KEYS).",
    );
    return found;
  }

  /** Returns the contexts that a submission can belong to: the current one, and those of earlier keys, which submit nothing. */
  owners(current: ClientContext, fingerprint: string | undefined): readonly ClientContext[] {
    this.#recovery ??= this.config.recoveryKeys.map((key) => this.#create(this.#resolve(key)));
    const contexts = new Set([current, ...this.#contexts.values(), ...this.#recovery]);
    return [...contexts].filter((one) => !isOther(one, fingerprint));
  }

  #resolve(apiKey: TryOnOptions["apiKey"]): Config {
    const { logger = environmentLogger() } = this.#options;
    return resolveConfig({ ...this.#options, apiKey, logger });
  }

  #create(config: Config): ClientContext {
    const rateLimiter = new RateLimiter(config.clock, config.random);
    const { explain, identify, loadMiddleware, loadList, createSpendCounter } = this.parts;
    const sending = { ...config, loadMiddleware, readRateLimit };
    const transport = this.connections.createTransport(sending);
    const api = new Api({ config, rateLimiter, transport, explain, identify });
    let fingerprint: string | undefined;
    return {
      config,
      api,
      jobPoller: new JobPoller(api, this.pollSchedules, loadList),
      spendTracker: createSpendCounter(config, api, this.#budget),
      get fingerprint() {
        return (fingerprint ??= fingerprintOf(config.apiKey));
      },
    };
  }
}
