import type { Options } from "../options.ts";
import { limits } from "../service/catalogue.ts";
import { hmacHex } from "../service/digest.ts";
import type { ResultAddresses } from "../service/result-address.ts";
import { formatTime } from "../service/time.ts";
import type { TryOnCompletedEvent } from "../generated/openapi.ts";
import type { DeliveryAttempt, DeliveryRecord, JobRecord } from "../store/records.ts";
import type { Store } from "../store/store.ts";
import type { World } from "../world/world.ts";

/** How long, in milliseconds of the machine, moving time by hand waits for a receiver that does not answer. */
const patience = 1_000;

const eventKind = "tryon.completed";

/** What deliveries stand on. */
export interface DeliveryContext {
  readonly store: Store;
  readonly world: World;
  readonly options: Options;
  readonly results: ResultAddresses;
  readonly send: (request: Request) => Promise<Response>;
}

/** Sends the event of a job that has ended: one attempt and three retries, each signed. */
export class WebhookDelivery {
  readonly #context: DeliveryContext;
  readonly #attempts = new Set<AbortController>();
  #closed = false;

  constructor(context: DeliveryContext) {
    this.#context = context;
  }

  /** Begins the delivery of a job's end, when the job asked for one. */
  async announce(job: JobRecord, secret: string): Promise<void> {
    if (job.webhookUrl === null) return;
    const delivery: DeliveryRecord = {
      id: `dlv_${this.#context.world.random.token(24)}`,
      jobId: job.id,
      url: job.webhookUrl,
      attempts: [],
      state: "pending",
    };
    await this.#context.store.transact((transaction) => transaction.putDelivery(delivery));
    void this.#deliver(delivery, job, secret);
  }

  /** Breaks off the attempts under way and makes no more. */
  close(): void {
    this.#closed = true;
    for (const attempt of this.#attempts) attempt.abort(new Error("The server has been closed."));
  }

  async #deliver(first: DeliveryRecord, job: JobRecord, secret: string): Promise<void> {
    const { store, world, options } = this.#context;
    let delivery = first;
    let body = this.#body(job);
    for (const delay of [...limits.webhookRetryDelays, undefined]) {
      if (this.#closed) return;
      const attempt = await world.clock.during(() => this.#attempt(job, body, secret), patience);
      const delivered = attempt.status !== null && attempt.status >= 200 && attempt.status < 300;
      const last = delay === undefined;
      delivery = {
        ...delivery,
        attempts: [...delivery.attempts, attempt],
        state: delivered ? "delivered" : last ? "given-up" : "pending",
      };
      const record = delivery;
      const pause = delivered || last ? undefined : world.clock.sleep(delay);
      await store.transact((transaction) => transaction.putDelivery(record));
      if (pause === undefined) return;
      await pause;
      if (options.webhookBody === "resigned") body = this.#body(job);
    }
  }

  async #attempt(job: JobRecord, body: string, secret: string): Promise<DeliveryAttempt> {
    const { clock } = this.#context.world;
    const at = clock.now();
    const timeUp = new AbortController();
    const timer = clock.setTimeout(
      () => timeUp.abort(new Error("No answer within 10 seconds.")),
      limits.webhookAnswer,
    );
    this.#attempts.add(timeUp);
    const outcome = await this.#post(job, body, secret, timeUp.signal);
    this.#attempts.delete(timeUp);
    clock.clearTimeout(timer);
    return { at, durationMs: clock.now() - at, ...outcome };
  }

  async #post(
    job: JobRecord,
    body: string,
    secret: string,
    signal: AbortSignal,
  ): Promise<Pick<DeliveryAttempt, "status" | "error">> {
    try {
      const request = new Request(job.webhookUrl ?? "", {
        method: "POST",
        redirect: "manual",
        signal,
        headers: {
          "content-type": "application/json",
          "user-agent": "TryOn-Webhooks/1.0",
          "x-service-signature": `sha256=${hmacHex(secret, body)}`,
          "x-service-event": eventKind,
          "x-service-job-id": job.id,
        },
        body,
      });
      const response = await whicheverComes(this.#context.send(request), signal);
      // The status is all that counts; a body that somebody reads or has read cannot be cancelled.
      response.body?.cancel().catch(() => undefined);
      // A browser hides where a redirect leads and what status it had.
      const redirected = response.type === "opaqueredirect";
      return redirected
        ? { status: null, error: "The receiver redirects; a webhook is not sent on." }
        : { status: response.status, error: null };
    } catch (error) {
      return { status: null, error: error instanceof Error ? error.message : String(error) };
    }
  }

  #body(job: JobRecord): string {
    const { world, options, results } = this.#context;
    const event: TryOnCompletedEvent = {
      event: eventKind,
      job_id: job.id,
      status: job.status === "succeeded" ? "succeeded" : "failed",
      result_url: job.result === null ? null : results.sign(job, world.clock.now()),
      error_code: job.errorCode,
      error_message: job.errorMessage,
      duration_ms: job.durationMs ?? 0,
      completed_at: formatTime(job.completedAt ?? job.createdAt, options.timeFormat),
    };
    return JSON.stringify(event);
  }
}

/** The answer, or the abort; a sender that does not listen to the signal cannot hold the delivery up. */
async function whicheverComes(answer: Promise<Response>, signal: AbortSignal): Promise<Response> {
  let listener: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    listener = () => reject(signal.reason as Error);
    signal.addEventListener("abort", listener);
  });
  try {
    return await Promise.race([answer, aborted]);
  } finally {
    if (listener !== undefined) signal.removeEventListener("abort", listener);
  }
}
