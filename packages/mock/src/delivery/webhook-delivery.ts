import { OptionsError, show } from "@tryon/shared/options";

import { abortable } from "../abortable.ts";
import { limits } from "../service/catalogue.ts";
import type { DeliveryAttemptPlan, ServiceContext } from "../service/context.ts";
import type { ResultUrls } from "../service/result-urls.ts";
import type { DeliveryAttempt, DeliveryRecord, JobRecord } from "../store/records.ts";
import type { Tables } from "../store/store.ts";
import { patience } from "../system/system.ts";
import { completedEvent, eventHeaders, tampered, type SignedEvent } from "./event.ts";

export type Redelivery = Exclude<DeliveryRecord["cause"], "job">;

/**
 * Delivers the events of finished jobs with one attempt and three retries, each signed. Between two attempts, a delivery
 * is only a record in the store and a timer.
 */
export class WebhookDelivery {
  readonly #context: ServiceContext;
  readonly #results: ResultUrls;
  readonly #inProgress = new Map<string, AbortController>();
  #closed = false;

  constructor(context: ServiceContext, results: ResultUrls) {
    this.#context = context;
    this.#results = results;
  }

  add(tables: Tables, job: JobRecord): string | undefined {
    if (job.webhookUrl === null) return undefined;
    const first = { jobId: job.id, url: job.webhookUrl, cause: "job", repeats: null } as const;
    return this.#add(tables, { ...first, ...this.#event(tables, job) });
  }

  /** Schedules the pending deliveries of the store. An attempt that was interrupted is repeated. */
  resume(): void {
    const { store, system } = this.#context;
    for (const delivery of store.transact((tables) => tables.deliveries.all("pending"))) {
      this.#schedule(delivery.id, (nextAttemptAt(delivery) ?? 0) - system.clock.now());
    }
  }

  /** Resolves after the first attempt of the new delivery. @throws TypeError for an unknown delivery. */
  async repeat(deliveryId: string, cause: Redelivery): Promise<DeliveryRecord> {
    const { store, options } = this.#context;
    const id = store.transact((tables) => {
      const found = tables.deliveries.get(deliveryId);
      const job = found && tables.jobs.get(found.jobId);
      if (found === undefined || job === undefined) {
        const problem = `${show(deliveryId)} is unknown`;
        throw new OptionsError("deliveryId", problem, "webhooks.deliveries() lists them.");
      }
      const isResigned = cause === "duplicate" && options.webhookBody === "resigned";
      const event = isResigned ? this.#event(tables, job) : found;
      const { body, signature } = cause === "tamper" ? tampered(event) : event;
      const { jobId, url } = found;
      return this.#add(tables, { jobId, url, cause, repeats: found.id, body, signature });
    });
    await this.attempt(id);
    return store.transact((tables) => tables.deliveries.getOrThrow(id));
  }

  close(): void {
    this.#closed = true;
    const reason = new Error("The server was closed, reset or restored.");
    for (const attempt of this.#inProgress.values()) attempt.abort(reason);
  }

  #add(tables: Tables, delivery: Omit<DeliveryRecord, "id" | "attempts" | "state">): string {
    const id = `dlv_${this.#context.system.random.token(24)}`;
    tables.deliveries.put({ id, ...delivery, attempts: [], state: "pending" });
    return id;
  }

  async attempt(id: string): Promise<void> {
    const { system, store } = this.#context;
    const abort = new AbortController();
    this.#inProgress.set(id, abort);
    // A receiver gets only what is saved.
    await store.saved()?.catch(() => undefined);
    const { delay, send } = this.#context.planAttempt();
    if (delay > 0) await this.#sleep(delay, abort.signal);
    return system.clock.during(async () => {
      const delivery = this.#findDue(id);
      const isDue = delivery !== undefined && !this.#closed;
      const attempt = isDue ? await this.#post(delivery, send, abort) : undefined;
      this.#inProgress.delete(id);
      if (delivery === undefined || attempt === undefined || this.#closed) return;
      const { record, retryDelay } = afterAttempt(delivery, attempt);
      if (retryDelay !== undefined) this.#schedule(id, retryDelay);
      store.transact((tables) => tables.deliveries.put(record));
    }, patience);
  }

  #schedule(id: string, delay: number): void {
    this.#context.system.clock.setTimeout(() => void this.attempt(id), delay);
  }

  #sleep(delay: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#context.system;
    return new Promise((resolve) => {
      clock.setTimeout(resolve, delay);
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  #findDue(id: string): DeliveryRecord | undefined {
    return this.#context.store.transact((tables) => {
      const delivery = tables.deliveries.get(id);
      const job = delivery && tables.jobs.get(delivery.jobId);
      if (delivery === undefined || job === undefined) return undefined;
      const isRetry = delivery.attempts.length > 0;
      if (!isRetry || this.#context.options.webhookBody !== "resigned") return delivery;
      return { ...delivery, ...this.#event(tables, job) };
    });
  }

  async #post(
    delivery: DeliveryRecord,
    send: DeliveryAttemptPlan["send"],
    abort: AbortController,
  ): Promise<DeliveryAttempt> {
    const { clock } = this.#context.system;
    const at = clock.now();
    const start = clock.monotonic();
    const timer = clock.setTimeout(
      () => abort.abort(new Error("No response within 10 seconds.")),
      limits.webhookResponse,
    );
    const outcome = await postEvent(delivery, send, abort.signal);
    clock.clearTimeout(timer);
    return { at, durationMs: Math.round(clock.monotonic() - start), ...outcome };
  }

  #event(tables: Tables, job: JobRecord): SignedEvent {
    const { options, system } = this.#context;
    const { webhookSecret: secret } = tables.keys.getOrThrow(job.keyId);
    const resultUrl = job.result === null ? null : this.#results.sign(job, system.clock.now());
    return completedEvent(job, resultUrl, { timeFormat: options.timeFormat, secret });
  }
}

export function nextAttemptAt({ state, attempts }: DeliveryRecord): number | null {
  const last = attempts.at(-1);
  if (state !== "pending" || last === undefined) return null;
  return last.at + last.durationMs + (limits.webhookRetryDelays[attempts.length - 1] ?? 0);
}

async function postEvent(
  delivery: DeliveryRecord,
  send: DeliveryAttemptPlan["send"],
  signal: AbortSignal,
): Promise<Pick<DeliveryAttempt, "status" | "error">> {
  try {
    const request = new Request(delivery.url, {
      method: "POST",
      redirect: "manual",
      signal,
      headers: eventHeaders(delivery.jobId, delivery.signature),
      body: delivery.body,
    });
    const response = await abortable(send(request), { signal });
    // Only the status counts. Canceling fails if the body was read.
    response.body?.cancel().catch(() => undefined);
    // A browser hides the status and the target of a redirect.
    if (response.type !== "opaqueredirect") return { status: response.status, error: null };
    const error = "The receiver redirects; the service does not follow redirects of webhooks.";
    return { status: null, error };
  } catch (error) {
    return { status: null, error: error instanceof Error ? error.message : String(error) };
  }
}

function afterAttempt(
  delivery: DeliveryRecord,
  attempt: DeliveryAttempt,
): { record: DeliveryRecord; retryDelay: number | undefined } {
  const attempts = [...delivery.attempts, attempt];
  const delivered = attempt.status !== null && attempt.status >= 200 && attempt.status < 300;
  const retried = delivery.cause === "job" || delivery.cause === "duplicate";
  const retryDelay =
    delivered || !retried ? undefined : limits.webhookRetryDelays[delivery.attempts.length];
  const state = delivered ? "delivered" : retryDelay === undefined ? "given-up" : "pending";
  return { record: { ...delivery, attempts, state }, retryDelay };
}
