import type { InputIssue } from "./jobs/input-issue.ts";
import type { TryOnInput } from "./jobs/input.ts";
import type { Job } from "./jobs/job.ts";
import type { Parts } from "./jobs/job-record.ts";
import { Jobs } from "./jobs/jobs.ts";
import { late } from "./jobs/late.ts";
import type { TryOnResult } from "./jobs/result.ts";
import type { RunOptions, SubmitOptions } from "./jobs/run-options.ts";
import { Starter } from "./jobs/starter.ts";
import { Account } from "./billing/account.ts";
import type { Costs, Inputs } from "./billing/costs.ts";
import { Credits } from "./billing/credits.ts";
import type { CallOptions, TryOnOptions } from "./config/options.ts";
import { parseUrl, resolveSettings, type Settings } from "./config/resolve-config.ts";
import { systemClock, type Clock } from "./config/clock.ts";
import type { RateLimit } from "./http/rate-limit.ts";
import { createRawClient, type RawClient } from "./raw/raw-client.ts";
import { Service } from "./api/service.ts";
import type { Call } from "./api/call.ts";

/**
 * A client of the virtual try-on service. It submits each try-on once however often the network fails, and never loses
 * the job.
 *
 * @throws `invalid_config` without a key or an address, and `unsafe_environment` when the key would be at risk: at once
 * when both are given as options, else at the first request.
 * @example
 * import { openAsBlob } from "node:fs";
 * import { writeFile } from "node:fs/promises";
 * import { TryOn } from "@tryon/client";
 *
 * const tryon = new TryOn({ apiKey, baseUrl });
 * const result = await tryon.run({
 *   person: await openAsBlob("me.jpg"),
 *   garments: ["https://shop.example/shirt.png"],
 * });
 * await writeFile("out.png", await result.image.bytes());
 */
export class TryOn {
  readonly #options: TryOnOptions;
  readonly #parts: Parts;
  readonly #starter: Starter;
  #settings: Settings | undefined;
  #raw: RawClient | undefined;

  /** The jobs of the key. */
  readonly jobs: Jobs;
  /** What the service knows of the key. */
  readonly account: Account;
  /** Buys credits. */
  readonly credits: Credits;

  constructor(options: TryOnOptions = {}) {
    this.#options = { ...options };
    const settings = (): Settings => (this.#settings ??= resolveSettings(this.#options));
    if (options.apiKey !== undefined && options.baseUrl !== undefined) settings();
    const service = new Service(settings);
    const parts = (this.#parts = { settings, service });
    this.#starter = new Starter(parts);
    this.jobs = new Jobs(parts);
    this.account = new Account(service);
    this.credits = new Credits(parts);
  }

  /**
   * Makes a try-on and waits for it.
   *
   * @throws `invalid_input` before anything is sent; `job_failed` with the service's reason; `wait_timed_out` with the job,
   * which runs on; `outcome_unknown` and `server_error` with `recover()`; `insufficient_credits`, `unauthorized`,
   * `forbidden`, `rate_limited`, `bad_request`, `validation_failed`, `connection_failed`. When `signal` is aborted, its reason.
   * @example
   * const result = await tryon.run(
   *   { person: photo, garments: [shirt, "https://shop.example/shoes.png"], output_size: "2K" },
   *   { timeout: "3m", onUpdate: (update) => console.log(update.phase) },
   * );
   * result.receipt.credits; // 12
   */
  run(input: TryOnInput, options: RunOptions = {}): Call<TryOnResult> {
    return this.#starter.run(input, options);
  }

  /**
   * Makes a try-on and comes back as soon as the service has taken it.
   *
   * @throws as `run`, but neither `job_failed` nor `wait_timed_out`
   * @example
   * const job = await tryon.submit({ person: photo, garments: [shirt] });
   * await database.save(JSON.stringify(job)); // tryon.jobs.resume takes it up again
   */
  submit(input: TryOnInput, options: SubmitOptions = {}): Call<Job> {
    return this.#starter.submit(input, options);
  }

  /**
   * Everything that is wrong with an input, without sending anything: errors, which `run` and `submit` refuse, and
   * warnings. Images are read no further than their first bytes; a `Response` or a stream is left unread.
   *
   * @returns no issue for an input that is right; never fails for one that is wrong
   * @example
   * for (const { field, code, severity, hint } of await tryon.validate(input)) console.log(severity, field, code, hint);
   */
  validate(input: TryOnInput): Promise<readonly InputIssue[]> {
    return this.#starter.validate(input);
  }

  /**
   * What one try-on costs in credits, by output size: as the account says, which is asked once, or as the service's document
   * says, as long as the account cannot be asked. A test key pays nothing.
   *
   * @throws the reason of `signal`
   * @example
   * const { costs, source } = await tryon.costs();
   * costs["2K"]; // 12
   */
  async costs(options: CallOptions = {}): Promise<Costs> {
    return (await late()).costs(this.#parts, options);
  }

  /**
   * What try-ons would cost in credits, at the prices of `costs()`: one input, or a list or stream of them.
   *
   * @throws `invalid_input` for an output size that has no price, with its place: `inputs.3.output_size`
   * @example
   * await tryon.estimate([input, { ...input, output_size: "4K" }]); // 28
   */
  async estimate(inputs: Inputs, options: CallOptions = {}): Promise<number> {
    return (await late()).estimate(this.#parts, inputs, options);
  }

  /**
   * The service's endpoints one by one, typed by its contract, with this client's key, retries and time limits. Answers
   * with an error status come back as `error`, as in openapi-fetch; what gives no answer throws. Budgets do not count what
   * is submitted here.
   *
   * @throws `invalid_config`, `unsafe_environment`; calls throw `connection_failed`, `timed_out`, `redirected`
   * @example
   * const { data, error } = await tryon.raw.GET("/api/v1/tryon", { params: { query: { limit: 5 } } });
   */
  get raw(): RawClient {
    return (this.#raw ??= createRawClient((this.#settings ??= resolveSettings(this.#options))));
  }

  /**
   * What is known of the rate limit now: what the service last said, or, where it says nothing, what this client has
   * counted of its own requests against the limit that `account.get()` told. Requests under way are not among those that
   * remain. Nothing as long as neither is known.
   *
   * @example
   * if (tryon.rateLimit?.remaining === 0) console.log(new Date(tryon.rateLimit.resetAt));
   */
  get rateLimit(): RateLimit | undefined {
    return this.#settings?.gate.rateLimit;
  }

  /** Where this client takes time from: what builds on it, such as `batch`, waits on the same clock. */
  get clock(): Clock {
    return this.#options.clock ?? systemClock;
  }

  /**
   * For how long a try-on that may have been made is sent again under its key, in milliseconds: what builds on this client
   * keeps to it.
   */
  get idempotencyWindow(): number {
    return (this.#settings ??= resolveSettings(this.#options)).idempotencyWindow;
  }

  /** Safe for logs: has no key, and only origin and path of the URL. */
  toJSON(): { name: string; baseUrl: string | undefined } {
    const { baseUrl, proxyUrl } = this.#options;
    // A path of the page's own site stays one.
    const page = proxyUrl && "http://page";
    const { origin, pathname } = parseUrl(`${baseUrl ?? proxyUrl}`, page) ?? {};
    const shown = origin && (origin === page ? "" : origin) + pathname;
    return { name: "TryOn", baseUrl: shown?.replace(/\/+$/, "") };
  }
}
