import type { TryOnOptions } from "../config/options.ts";
import { resolveConfig, type Config } from "../config/resolve-config.ts";
import { ConfigError } from "../errors/refusal-errors.ts";
import { ConnectionError } from "../errors/request-errors.ts";
import { isTryOnError } from "../errors/is-tryon-error.ts";
import { abortable, within, type Deadline } from "../http/deadline.ts";
import type { CallOptions, Duration } from "../types/call-options.ts";

/** Maximum number of keys whose contexts are kept. Calls and jobs keep theirs. */
const maxKeys = 16;

/** Contexts of a client, one per API key: rate limits, idempotency keys and jobs belong to a key. */
export class KeyContexts<Context extends object> {
  readonly #options: TryOnOptions;
  readonly #create: (config: Config) => Context;
  readonly #contexts = new Map<string, Context>();
  #config: Config | undefined;
  /** Context of the last call. */
  latest: Context | undefined;

  constructor(options: TryOnOptions, create: (config: Config) => Context) {
    this.#options = options;
    this.#create = create;
  }

  /** Configuration. It has no key if `apiKey` is a function. Reads the environment variables on first use. */
  get config(): Config {
    return (this.#config ??= resolveConfig(this.#options));
  }

  /** Returns the context of a call, for the key that `apiKey` returns now. */
  async acquire(deadline: Deadline): Promise<Context> {
    const { apiKey } = this.#options;
    if (typeof apiKey !== "function") return (this.latest ??= this.#create(this.config));
    const key = await readKey(apiKey, deadline);
    const context =
      this.#contexts.get(key) ?? this.#create(resolveConfig({ ...this.#options, apiKey: key }));
    this.#contexts.delete(key);
    this.#contexts.set(key, context);
    const [oldest] = this.#contexts.keys();
    if (this.#contexts.size > maxKeys && oldest !== undefined) this.#contexts.delete(oldest);
    return (this.latest = context);
  }

  /** Returns the context of another key if the service has rejected this one and proved that nothing happened. */
  async renew(context: Context, error: unknown, deadline: Deadline): Promise<Context | undefined> {
    const isRejected = isTryOnError(error, "unauthorized");
    if (!isRejected || typeof this.#options.apiKey !== "function") return undefined;
    const renewed = await this.acquire(deadline);
    return renewed === context ? undefined : renewed;
  }

  /** Runs the work of a call within its deadline, and once more with another key if the service rejects the first. */
  async within<Result>(
    options: CallOptions,
    timeout: Duration | undefined,
    work: (context: Context, deadline: Deadline) => Promise<Result>,
    names?: Readonly<Record<string, true>>,
  ): Promise<Result> {
    const { config } = this;
    const withKey = async (deadline: Deadline): Promise<Result> => {
      const context = await this.acquire(deadline);
      try {
        return await work(context, deadline);
      } catch (error) {
        const renewed = await this.renew(context, error, deadline);
        if (!renewed) throw error;
        return work(renewed, deadline);
      }
    };
    return within(config, options, timeout ?? config.timeout, withKey, names);
  }
}

async function readKey(apiKey: () => unknown, deadline: Deadline): Promise<string> {
  deadline.throwIfAborted();
  let key: unknown;
  try {
    key = await abortable(Promise.resolve(apiKey()), deadline.signal);
  } catch (error) {
    deadline.throwIfAborted();
    if (!deadline.passed) throw error;
    throw new ConnectionError("timed_out", "apiKey did not return a key in time.", {
      hint: "Nothing was sent: raise timeout.",
    });
  }
  if (typeof key === "string" && key.trim()) return key.trim();
  throw new ConfigError(
    "invalid_config",
    "apiKey did not return a key.",
    "Return a string of the form svc_live_… or svc_test_….",
  );
}
