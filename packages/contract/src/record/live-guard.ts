import { submitOperation } from "../seen/seen.ts";
import { isEnd } from "../submission.ts";
import { costsOf, isCredits } from "../target/budget.ts";
import { decoded } from "../wire/base-url.ts";
import { operationOf } from "../wire/document.ts";
import { elementsOf, fieldsOf, type Fields } from "../wire/response.ts";
import type { Send } from "../wire/send.ts";

export interface LiveLimits {
  readonly allowLive?: boolean | undefined;
  /** Maximum cost of all try-ons, in credits. Required with `allowLive`. */
  readonly maxCredits?: number | undefined;
}

export interface Permit {
  settle(status: number | undefined, body: unknown): void;
}

const accountTimeout = 30_000;

const free: Permit = { settle: () => undefined };

export class LiveGuard {
  readonly #limits: LiveLimits;
  readonly #send: Send;
  readonly #prices = new Map<string, Promise<number | undefined>>();
  /** Jobs of this run. A repeated submission returns the same job, which counts once. */
  readonly #jobs = new Map<string, { readonly price: number; credits: number; isOver: boolean }>();
  /** Credits of submissions without a job so far. */
  #reserved = 0;

  constructor(limits: LiveLimits, send: Send) {
    this.#limits = limits;
    this.#send = send;
  }

  async admit(
    method: string,
    path: string,
    authorization: string | undefined,
  ): Promise<Permit | string> {
    const isLive =
      authorization !== undefined && !/^Bearer\s+svc_test_[\w-]*$/i.test(authorization);
    if (!isLive) return free;
    const { allowLive, maxCredits = 0 } = this.#limits;
    if (allowLive !== true) {
      return "The recorder refuses live keys. Use a test key, or --allow-live with --max-credits.";
    }
    const [start = ""] = path.split("?");
    // Services decode a path, and some accept a slash at its end.
    const operation = operationOf(method, decoded(start).replace(/(?<=.)\/$/, ""))?.title;
    if (operation === undefined) {
      return "The recorder sends a live key only to documented paths of the service.";
    }
    if (operation.includes("/credits")) return "The recorder sends no purchase with a live key.";
    if (operation !== submitOperation) {
      return { settle: (status, body) => status === 200 && this.#update(fieldsOf(body)) };
    }
    // The size can come after megabytes of images, so the price of the request is not known in time.
    const price = await this.#priceOf(authorization);
    if (price === undefined) {
      return "The recorder refuses a try-on: it cannot read the prices of the account. Try again.";
    }
    const left = maxCredits - this.#spent;
    if (price > left) {
      return `The recorder refuses a try-on: --max-credits ${maxCredits} leaves ${left}, and one costs up to ${price}.`;
    }
    this.#reserved += price;
    return { settle: (status, body) => this.#settle(status, fieldsOf(body), price) };
  }

  get #spent(): number {
    return [...this.#jobs.values()].reduce((sum, { credits }) => sum + credits, this.#reserved);
  }

  /** Returns the maximum price for a key, at least the documented one, or undefined if its account cannot be read. */
  #priceOf(authorization: string): Promise<number | undefined> {
    const known = this.#prices.get(authorization);
    if (known !== undefined) return known;
    const price = this.#readPrice(authorization).catch(() => undefined);
    this.#prices.set(authorization, price);
    void price.then((read) => read ?? this.#prices.delete(authorization));
    return price;
  }

  async #readPrice(authorization: string): Promise<number | undefined> {
    const account = { method: "GET", path: "/api/v1/account", headers: { authorization } };
    const { status, json } = await this.#send(account, AbortSignal.timeout(accountTimeout));
    return status === 200 ? Math.max(...Object.values(costsOf(json))) : undefined;
  }

  #settle(status: number | undefined, job: Fields, price: number): void {
    const { job_id: id, detail } = job;
    const isRefused = status !== undefined && status >= 400 && status < 500 && status !== 408;
    const isJob = status === 200 && typeof id === "string";
    // Otherwise the outcome is unknown: a gateway responds with 4xx and 5xx after the service has charged.
    if (isJob || (isRefused && detail !== undefined)) this.#reserved -= price;
    if (!isJob) return;
    if (!this.#jobs.has(id)) this.#jobs.set(id, { price, credits: price, isOver: false });
    this.#update(job);
  }

  #update({ jobs, ...own }: Fields): void {
    for (const one of [own, ...elementsOf(jobs).map(fieldsOf)]) {
      const job = this.#jobs.get(String(one["job_id"]));
      if (job === undefined || job.isOver) continue;
      const { status, cost_credits: cost } = one;
      const stated = isCredits(cost) ? cost : job.price;
      job.isOver = isEnd(status);
      job.credits = job.isOver ? stated : Math.max(job.price, stated);
    }
  }
}
