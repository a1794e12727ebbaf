import { abortable } from "../abortable.ts";
import { limits } from "../service/catalogue.ts";
import type { DeliveryAttemptPlan, ServiceContext } from "../service/context.ts";
import type { ResultUrls } from "../service/result-urls.ts";
import type { DeliveryAttempt, DeliveryRecord, JobRecord } from "../store/records.ts";
import { completedEvent, eventHeaders, tampered, type SignedEvent } from "./event.ts";

/** Real milliseconds that a manual clock waits for a receiver. */
const patience = 1_000;

/** Ways to repeat an earlier delivery. */
export type Redelivery = Exclude<DeliveryRecord["cause"], "job">;

/**
 * Delivers the events of finished jobs with one attempt and three retries, each signed. Between two attempts, a delivery
 * is only a record in the store and a scheduled task.
 */
export class WebhookDelivery {
  readonly #context: ServiceContext;
  readonly #results: ResultUrls;
  readonly #inProgress = new Map<string, AbortController>();
  #closed = false;

  constructor(context: ServiceContext, results: ResultUrls) {
    this.#context = context;
    this.#results = results;
    context.system.scheduler.on("delivery", (id) => void this.#attempt(id));
  }

  /** Starts the delivery of a job's event, if the job has a webhook URL. */
  deliver(job: JobRecord, secret: string): void {
    if (job.webhookUrl === null) return;
    const first = { jobId: job.id, url: job.webhookUrl, cause: "job", repeats: null } as const;
    const { id } = this.#add({ ...first, ...this.#event(job, secret) });
    void this.#attempt(id);
  }

  /**
   * Repeats an earlier delivery as a new delivery. Resolves after its first attempt.
   *
   * @throws RangeError for an unknown delivery.
   */
  async repeat(deliveryId: string, cause: Redelivery): Promise<DeliveryRecord> {
    const { store, options } = this.#context;
    const { earlier, event } = store.transact((tables) => {
      const found = tables.deliveries.get(deliveryId);
      const job = found && tables.jobs.get(found.jobId);
      if (found === undefined || job === undefined) {
        throw new RangeError(
          `deliveryId: unknown delivery ${JSON.stringify(deliveryId)}; webhooks.deliveries() lists them.`,
        );
      }
      const { webhookSecret } = tables.keys.getOrThrow(job.keyId);
      const isResigned = cause === "duplicate" && options.webhookBody === "resigned";
      return { earlier: found, event: isResigned ? this.#event(job, webhookSecret) : found };
    });
    const { body, signature } = cause === "tamper" ? tampered(event) : event;
    const { jobId, url } = earlier;
    const { id } = this.#add({ jobId, url, cause, repeats: earlier.id, body, signature });
    await this.#attempt(id);
    return store.transact((tables) => tables.deliveries.getOrThrow(id));
  }

  /** Ids of deliveries with an unfinished attempt, which a restored state repeats. */
  get inProgress(): readonly string[] {
    return [...this.#inProgress.keys()];
  }

  /** Aborts the attempts in progress and starts no more. */
  close(): void {
    this.#closed = true;
    const reason = new Error("The server was closed, reset or restored.");
    for (const attempt of this.#inProgress.values()) attempt.abort(reason);
  }

  #add(delivery: Omit<DeliveryRecord, "id" | "attempts" | "state">): DeliveryRecord {
    const id = `dlv_${this.#context.system.random.token(24)}`;
    const record: DeliveryRecord = { id, ...delivery, attempts: [], state: "pending" };
    this.#context.store.transact((tables) => tables.deliveries.put(record));
    return record;
  }

  /** Makes an attempt, stores its outcome and schedules the next one. */
  async #attempt(id: string): Promise<void> {
    const { system, store } = this.#context;
    const abort = new AbortController();
    this.#inProgress.set(id, abort);
    const { delay, send } = this.#context.planAttempt();
    if (delay > 0) await this.#sleep(delay, abort.signal);
    return system.clock.during(async () => {
      const delivery = this.#findDue(id);
      const attempt =
        delivery === undefined || this.#closed
          ? undefined
          : await this.#post(delivery, send, abort);
      this.#inProgress.delete(id);
      if (delivery === undefined || attempt === undefined || this.#closed) return;
      const { record, retryDelay } = afterAttempt(delivery, attempt);
      if (retryDelay !== undefined) {
        system.scheduler.add({ kind: "delivery", id, dueAt: system.clock.now() + retryDelay });
      }
      store.transact((tables) => tables.deliveries.put(record));
    }, patience);
  }

  /** Waits, but not longer than until the server is closed. */
  #sleep(delay: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#context.system;
    return new Promise((resolve) => {
      clock.setTimeout(resolve, delay);
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  /** Returns a delivery as its next attempt sends it. */
  #findDue(id: string): DeliveryRecord | undefined {
    return this.#context.store.transact((tables) => {
      const delivery = tables.deliveries.get(id);
      const job = delivery && tables.jobs.get(delivery.jobId);
      if (delivery === undefined || job === undefined) return undefined;
      const isRetry = delivery.attempts.length > 0;
      if (!isRetry || this.#context.options.webhookBody !== "resigned") return delivery;
      const { webhookSecret } = tables.keys.getOrThrow(job.keyId);
      return { ...delivery, ...this.#event(job, webhookSecret) };
    });
  }

  async #post(
    delivery: DeliveryRecord,
    send: DeliveryAttemptPlan["send"],
    abort: AbortController,
  ): Promise<DeliveryAttempt> {
    const { clock } = this.#context.system;
    const at = clock.now();
    const timer = clock.setTimeout(
      () => abort.abort(new Error("No response within 10 seconds.")),
      limits.webhookResponse,
    );
    const outcome = await postEvent(delivery, send, abort.signal);
    clock.clearTimeout(timer);
    return { at, durationMs: clock.now() - at, ...outcome };
  }

  #event(job: JobRecord, secret: string): SignedEvent {
    const { options, system } = this.#context;
    const resultUrl = job.result === null ? null : this.#results.sign(job, system.clock.now());
    return completedEvent(job, resultUrl, { timeFormat: options.timeFormat, secret });
  }
}

/** Sends a webhook once and returns the outcome. It never throws. */
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
    const redirected = response.type === "opaqueredirect";
    return redirected
      ? {
          status: null,
          error: "The receiver redirects; the service does not follow redirects of webhooks.",
        }
      : { status: response.status, error: null };
  } catch (error) {
    return { status: null, error: error instanceof Error ? error.message : String(error) };
  }
}

/** Adds an attempt to a delivery, and returns the delay before the next. Replays and tampered events are sent once. */
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
