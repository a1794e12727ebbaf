import type { Options } from "../options.ts";
import { limits } from "../service/catalogue.ts";
import { mustFind } from "../service/keys.ts";
import type { ResultUrls } from "../service/result-urls.ts";
import type { DeliveryAttempt, DeliveryRecord, JobRecord } from "../store/records.ts";
import type { Store } from "../store/store.ts";
import type { System } from "../system/system.ts";
import { completedEvent, tampered, type SignedEvent } from "./event.ts";
import { postEvent } from "./post.ts";

/** How long, in milliseconds of the machine, moving time by hand waits for a receiver that does not answer. */
const patience = 1_000;

/** How one attempt leaves the server. */
export interface DeliveryAttemptPlan {
  /** How long it is held up first, in milliseconds. */
  readonly delay: number;
  readonly send: (request: Request) => Promise<Response>;
}

/** What deliveries stand on. */
export interface DeliveryContext {
  readonly store: Store;
  readonly system: System;
  readonly options: Options;
  readonly results: ResultUrls;
  /** Asked once for each attempt. */
  readonly depart: () => DeliveryAttemptPlan;
}

/** Ways to have an earlier delivery sent again. */
export type Redelivery = Exclude<DeliveryRecord["cause"], "job">;

/**
 * Sends the event of a job that has ended: one attempt and three retries, each signed. Between two attempts a delivery
 * is nothing but its record in the store and an task that names it.
 */
export class WebhookDelivery {
  readonly #context: DeliveryContext;
  readonly #underWay = new Map<string, AbortController>();
  #closed = false;

  constructor(context: DeliveryContext) {
    this.#context = context;
    context.system.scheduler.on("delivery", (id) => void this.#attempt(id));
  }

  /** Begins the delivery of a job's end, when the job asked for one. */
  async announce(job: JobRecord, secret: string): Promise<void> {
    if (job.webhookUrl === null) return;
    const first = { jobId: job.id, url: job.webhookUrl, cause: "job", repeats: null } as const;
    const { id } = await this.#add({ ...first, ...this.#event(job, secret) });
    void this.#attempt(id);
  }

  /**
   * Sends an earlier delivery again, as a delivery of its own.
   *
   * @returns it, once its first attempt has been answered.
   * @throws RangeError when there is no such delivery.
   */
  async repeat(deliveryId: string, cause: Redelivery): Promise<DeliveryRecord> {
    const { store, options } = this.#context;
    const { earlier, event } = await store.transact(async (transaction) => {
      const found = await transaction.delivery(deliveryId);
      const job = found && (await transaction.job(found.jobId));
      if (found === undefined || job === undefined) {
        throw new RangeError(
          `deliveryId: there is no delivery ${JSON.stringify(deliveryId)}; webhooks.deliveries() lists those that there are.`,
        );
      }
      const { webhookSecret } = await mustFind(transaction, job.keyId);
      const anew = cause === "duplicate" && options.webhookBody === "resigned";
      return { earlier: found, event: anew ? this.#event(job, webhookSecret) : found };
    });
    const { body, signature } = cause === "tamper" ? tampered(event) : event;
    const { jobId, url } = earlier;
    const { id } = await this.#add({ jobId, url, cause, repeats: earlier.id, body, signature });
    await this.#attempt(id);
    return store.transact(async (transaction) => {
      const added = await transaction.delivery(id);
      if (added === undefined) throw new Error(`The delivery ${id} has gone from the store.`);
      return added;
    });
  }

  /** The deliveries whose attempt is not over: when this state is taken up again, they are tried anew. */
  get underWay(): readonly string[] {
    return [...this.#underWay.keys()];
  }

  /** Breaks off the attempts under way and makes no more. */
  close(): void {
    this.#closed = true;
    const reason = new Error("The server has been closed or put into another state.");
    for (const attempt of this.#underWay.values()) attempt.abort(reason);
  }

  async #add(delivery: Omit<DeliveryRecord, "id" | "attempts" | "state">): Promise<DeliveryRecord> {
    const id = `dlv_${this.#context.system.random.token(24)}`;
    const record: DeliveryRecord = { id, ...delivery, attempts: [], state: "pending" };
    this.#underWay.set(id, new AbortController());
    await this.#context.store.transact((transaction) => transaction.putDelivery(record));
    return record;
  }

  /** Makes the attempt that is due, writes it down, and makes the task for the next. */
  async #attempt(id: string): Promise<void> {
    const { system, store } = this.#context;
    const abort = new AbortController();
    this.#underWay.set(id, abort);
    const { delay, send } = this.#context.depart();
    if (delay > 0) await this.#heldUp(delay, abort.signal);
    return system.clock.during(async () => {
      const delivery = await this.#due(id);
      const attempt =
        delivery === undefined || this.#closed
          ? undefined
          : await this.#post(delivery, send, abort);
      this.#underWay.delete(id);
      if (delivery === undefined || attempt === undefined || this.#closed) return;
      const { record, pause } = afterAttempt(delivery, attempt);
      if (pause !== undefined) {
        system.scheduler.add({ kind: "delivery", id, dueAt: system.clock.now() + pause });
      }
      await store.transact((transaction) => transaction.putDelivery(record));
    }, patience);
  }

  /** Resolves when the time is over, or at once when the server is closed. */
  #heldUp(delay: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#context.system;
    return new Promise((resolve) => {
      clock.setTimeout(resolve, delay);
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  /** The delivery with what its next attempt sends. */
  #due(id: string): Promise<DeliveryRecord | undefined> {
    return this.#context.store.transact(async (transaction) => {
      const delivery = await transaction.delivery(id);
      const job = delivery && (await transaction.job(delivery.jobId));
      if (delivery === undefined || job === undefined) return undefined;
      const anew = delivery.attempts.length > 0 && this.#context.options.webhookBody === "resigned";
      if (!anew) return delivery;
      const { webhookSecret } = await mustFind(transaction, job.keyId);
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
      () => abort.abort(new Error("No answer within 10 seconds.")),
      limits.webhookAnswer,
    );
    const outcome = await postEvent(delivery, send, abort.signal);
    clock.clearTimeout(timer);
    return { at, durationMs: clock.now() - at, ...outcome };
  }

  #event(job: JobRecord, secret: string): SignedEvent {
    const { results, options, system } = this.#context;
    const address = job.result === null ? null : results.sign(job, system.clock.now());
    return completedEvent(job, address, { timeFormat: options.timeFormat, secret });
  }
}

/** What a delivery is after an attempt, and how long until the next. A replay and a forgery are sent once. */
function afterAttempt(
  delivery: DeliveryRecord,
  attempt: DeliveryAttempt,
): { record: DeliveryRecord; pause: number | undefined } {
  const attempts = [...delivery.attempts, attempt];
  const delivered = attempt.status !== null && attempt.status >= 200 && attempt.status < 300;
  const retried = delivery.cause === "job" || delivery.cause === "duplicate";
  const pause =
    delivered || !retried ? undefined : limits.webhookRetryDelays[delivery.attempts.length];
  const state = delivered ? "delivered" : pause === undefined ? "given-up" : "pending";
  return { record: { ...delivery, attempts, state }, pause };
}
