import type { CallOptions } from "./types/call-options.ts";
import type { RateLimit } from "./types/attempt.ts";
import type { Job, TryOnResult } from "./types/job.ts";
import { toCall, type Call } from "./api/api.ts";
import { isTestKey } from "./billing/count-credits.ts";
import { Account, Credits } from "./billing/credits.ts";
import type { Costs, Inputs } from "./billing/prices.ts";
import { checkApp } from "./config/check-app.ts";
import { defaults, optionNames, type Clock, type TryOnOptions } from "./config/options.ts";
import { rejectUnknown } from "./config/resolve-config.ts";
import { isApp } from "#app";
import { loadAccount, parts } from "#parts";
import { describePath } from "#runtime";
import { usePart } from "./errors/use-part.ts";
import { reportWait } from "./http/send-with-retries.ts";
import type { HttpRequest, HttpResponse, RawRequest } from "./http/http-request.ts";
import type { InputIssue } from "./errors/input-issue.ts";
import type { InputArgument, TryOnInput } from "./types/try-on-input.ts";
import { ClientContexts } from "./jobs/client-context.ts";
import { JobSubmitter } from "./jobs/job-submitter.ts";
import type { TakeTime } from "./jobs/job-poller.ts";
import { Jobs } from "./jobs/jobs.ts";
import type { RunOptions, SubmitOptions } from "./jobs/run-options.ts";
import { parseInput } from "./jobs/parse-input.ts";

/**
 * Client of the virtual try-on service. It pays for each try-on at most once, however often the network fails, and never
 * loses a job.
 *
 * @throws `invalid_config` without an API key or a URL, and `unsafe_environment` if the key would be at risk. Both are
 * thrown at once if `apiKey` and `baseUrl` are options, else by the first request.
 * @example
 * import { openAsBlob } from "node:fs";
 * import { TryOn } from "@tryon/client";
 *
 * const tryon = new TryOn({ apiKey, baseUrl });
 * const result = await tryon.run({
 *   person: await openAsBlob("me.jpg"),
 *   garments: ["https://shop.example/shirt.png"],
 * });
 * await result.image.save("out.png");
 */
export class TryOn {
  readonly #options: TryOnOptions;
  readonly #contexts: ClientContexts;
  readonly #jobSubmitter: JobSubmitter;

  /** Jobs of the API key. */
  readonly jobs: Jobs;
  /** Account of the API key. */
  readonly account: Account;
  /** Purchases of credits. */
  readonly credits: Credits;

  constructor(options: TryOnOptions = {}) {
    rejectUnknown("TryOn", options, optionNames);
    if (isApp) checkApp();
    this.#options = { ...options };
    const contexts = new ClientContexts(this.#options, parts);
    if (options.apiKey !== undefined && options.baseUrl !== undefined) void contexts.config;
    this.#contexts = contexts;
    this.#jobSubmitter = new JobSubmitter(contexts);
    this.jobs = new Jobs(contexts, loadAccount);
    this.account = new Account(contexts, loadAccount);
    this.credits = new Credits(contexts, loadAccount);
  }

  /**
   * Submits a try-on and waits for the result.
   *
   * @throws `invalid_input` before anything is sent; `job_failed` with the service's reason; `wait_timed_out` with the job,
   * which goes on; `outcome_unknown` and `server_error` with `recover()`; `insufficient_credits`, `unauthorized`,
   * `forbidden`, `rate_limited`, `bad_request`, `validation_failed`, `connection_failed`. The abort reason of `signal`.
   * @example
   * const result = await tryon.run(
   *   { person: photo, garments: [shirt, "https://shop.example/shoes.png"], output_size: "2K" },
   *   { timeout: "3m", onUpdate: (update) => console.log(update.phase) },
   * );
   * result.receipt.credits; // 12
   */
  run(input: InputArgument, options: RunOptions = {}): Call<TryOnResult> {
    return toCall(this.#jobSubmitter.run(input, options));
  }

  /**
   * Submits a try-on and returns its job as soon as the service has accepted it.
   *
   * @throws as `run`, except `job_failed` and `wait_timed_out`
   * @example
   * const job = await tryon.submit({ person: photo, garments: [shirt] });
   * await database.save(JSON.stringify(job)); // later: tryon.jobs.resume(saved)
   */
  submit(input: InputArgument, options: SubmitOptions = {}): Call<Job> {
    return toCall(this.#jobSubmitter.submit(input, options));
  }

  /**
   * Validates an input without sending anything. Returns all errors, which `run` and `submit` reject, and all warnings.
   * Reads the header of images and, of a JPEG or PNG, the end, without decoding them. Reads nothing of a `Response` or a
   * stream. The error `truncated` means that the end of an image is missing. Warnings: `low_resolution` (under 512 pixels
   * on a side), `high_resolution` (over 50 megapixels), `rotated`, `cmyk`, `animated`, `heic_or_avif`, `unknown_image`.
   *
   * @returns no issue if the input is valid; never rejects for an invalid one
   * @example
   * for (const { field, code, severity, hint } of await tryon.validate(input)) console.log(severity, field, code, hint);
   */
  async validate(input: InputArgument): Promise<readonly InputIssue[]> {
    const parsed = parseInput(input);
    return (await usePart(parts.checks)).validateParsed(parsed, describePath);
  }

  /**
   * Returns the cost of one try-on in credits, by output size. The prices are those of the account, which is read once, or
   * those of the service's document while the account cannot be read. Test keys pay nothing.
   *
   * @throws the abort reason of `signal`
   * @example
   * const { costs, source } = await tryon.costs();
   * costs["2K"]; // 12
   */
  async costs(options: CallOptions = {}): Promise<Costs> {
    return this.#contexts.within(options, defaults.callTimeout, ({ spendTracker }, deadline) =>
      spendTracker.costs(deadline),
    );
  }

  /**
   * Returns the cost of try-ons in credits at the prices of `costs()`, for one input or for a list or stream of inputs.
   *
   * @throws `invalid_input` for an output size without a price, with its field: `inputs.3.output_size`
   * @example
   * await tryon.estimate([input, { ...input, output_size: "4K" }]); // 28
   */
  async estimate(inputs: Inputs, options: CallOptions = {}): Promise<number> {
    const { costs } = await this.costs(options);
    return (await usePart(loadAccount)).estimate(costs, inputs, options.signal);
  }

  /**
   * Returns a fingerprint of the API key, 16 hexadecimal digits that do not reveal it. Store it with the time of a first
   * attempt, for `apiKeyFingerprint`. With `proxyUrl`, returns a fingerprint of the proxy's key, with one request, or
   * undefined if the proxy is older. Undefined in a page with a test key.
   *
   * @throws the abort reason of `signal`; errors of the request to the proxy
   * @example
   * const first = { firstAttemptAt: Date.now(), apiKeyFingerprint: await tryon.apiKeyFingerprint() };
   * await database.save(JSON.stringify(first)); // later: tryon.run(input, { idempotencyKey, ...first })
   */
  async apiKeyFingerprint(options: CallOptions = {}): Promise<string | undefined> {
    return this.#contexts.within(
      options,
      defaults.callTimeout,
      async ({ api, config, fingerprint }, deadline) =>
        config.apiKey ? fingerprint : api.getFingerprint({ deadline }),
    );
  }

  /**
   * Rate limit as known now: from the last response headers, or from the client's own count against the limit that
   * `account.get()` returned. Requests in flight count as used. Undefined while neither is known.
   *
   * @example
   * if (tryon.rateLimit?.remaining === 0) console.log(new Date(tryon.rateLimit.resetAt));
   */
  get rateLimit(): RateLimit | undefined {
    return this.#contexts.latest?.api.http.rateLimiter.rateLimit;
  }

  /** Clock of the client. Code that builds on the client, such as `batch`, waits on the same clock. */
  get clock(): Clock {
    return this.#contexts.config.givenClock;
  }

  /** Time after its first attempt in which a submission may be retried, in milliseconds: 90 % of the `idempotencyWindow`. */
  get idempotencyWindow(): number {
    return this.#contexts.config.idempotencyWindow;
  }

  /** @internal Reads an input of a batch, so that its images can be read repeatedly. Throws `invalid_input` if one cannot. */
  async readInput(input: TryOnInput, signal: AbortSignal) {
    const parsed = parseInput(input);
    return (await usePart(loadAccount)).readParsed(this.#contexts, parsed, signal);
  }

  /** @internal URL of the service or the proxy, without a slash at the end. */
  get serviceUrl(): string {
    return this.#contexts.config.baseUrl;
  }

  /** @internal If true, try-ons are free. With a function as `apiKey`, this is about its latest key. */
  get hasTestKey(): boolean {
    return isTestKey((this.#contexts.latest ?? this.#contexts).config.apiKey);
  }

  /** @internal Returns the digest of the service's URL and the API key, which no one else gets. */
  async digestKey<Digest>(digest: (text: string) => Promise<Digest>): Promise<Digest> {
    return (await usePart(loadAccount)).digestKey(this.#contexts, digest);
  }

  /** @internal Schedules of polls that the client shares with other processes. */
  get pollSchedules(): Set<TakeTime> {
    return this.#contexts.pollSchedules;
  }

  /** @internal Reports a wait of a batch for the rate limit, in milliseconds. */
  reportWait(delay: number): void {
    reportWait(this.#contexts.config, delay);
  }

  /** @internal Sends a request of `@tryon/client/raw`. Returns a response of any status, but no redirect. */
  async send(request: RawRequest): Promise<HttpResponse> {
    return (await usePart(loadAccount)).sendRaw(this.#contexts, request);
  }

  /**
   * @internal Sends a request of `@tryon/client/proxy` once, regardless of the rate limit. Returns the outcome, and the
   * function that redacts the key of the request.
   */
  async sendOnce(
    request: HttpRequest,
    signal: AbortSignal | undefined,
    mayUse: (key: string) => Promise<boolean>,
  ) {
    return (await usePart(loadAccount)).sendOnce(this.#contexts, request, signal, mayUse);
  }

  /**
   * Closes idle connections, and each of the others after its request, in Node without an `agent`. The client can be used
   * again. Programs end without it; servers and tests can release connections sooner.
   */
  close(): void {
    this.#contexts.connections.close();
  }

  /** Returns what is safe to log: no key. `baseUrl` is undefined while the client has no valid URL. */
  toJSON(): {
    /** `TryOn`, the name of the class. */
    name: string;
    /** URL of the service or the proxy. Undefined while the client has no valid one. */
    baseUrl: string | undefined;
  } {
    let baseUrl: string | undefined;
    try {
      baseUrl = this.serviceUrl;
    } catch {
      // A rejected URL can contain a secret.
    }
    return { name: "TryOn", baseUrl };
  }
}
