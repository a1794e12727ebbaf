import type { TryOnOptions } from "../config/options.ts";
import { check } from "../config/resolve-config.ts";
import { resolveConfig, type Config } from "../config/resolve-config.ts";
import { isTryOnError } from "../errors/is-tryon-error.ts";
import { inTime, within, type Deadline } from "../http/deadline.ts";
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

  /** Runs the work of a call within its deadline. Runs it once more with another key if the service rejects the first. */
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
        return work(await this.renew(error, context, deadline), deadline);
      }
    };
    return within(config, options, timeout ?? config.timeout, withKey, names);
  }

  /**
   * Returns the context of another key after an `unauthorized` error, which proves that nothing happened. Throws the error
   * if it is another one, or if `apiKey` returns the same key.
   */
  async renew(error: unknown, context: Context, deadline: Deadline): Promise<Context> {
    if (!isTryOnError(error, "unauthorized")) throw error;
    const renewed = await this.acquire(deadline);
    if (renewed === context) throw error;
    return renewed;
  }

  /** Returns the context for the key that `apiKey` returns now. */
  async acquire(deadline: Deadline): Promise<Context> {
    const { apiKey } = this.#options;
    if (typeof apiKey !== "function") return (this.latest ??= this.#create(this.config));
    deadline.throwIfAborted();
    const reading = Promise.resolve().then(apiKey);
    const given: unknown = await inTime(reading, deadline, "apiKey did not return a key in time.");
    const key = typeof given === "string" ? given.trim() : "";
    check(
      key,
      "invalid_config",
      "apiKey did not return a key.",
      "Return a string of the form svc_live_… or svc_test_….",
    );
    const context =
      this.#contexts.get(key) ?? this.#create(resolveConfig({ ...this.#options, apiKey: key }));
    this.#contexts.delete(key);
    this.#contexts.set(key, context);
    const [oldest] = this.#contexts.keys();
    if (this.#contexts.size > maxKeys && oldest !== undefined) this.#contexts.delete(oldest);
    return (this.latest = context);
  }
}
