import type { WebhookDelivery } from "../delivery/webhook-delivery.ts";
import type { RenderRequest } from "../engine/engine.ts";
import { pngSize } from "../engine/png.ts";
import type { JobRecord, ResultRecord } from "../store/records.ts";
import type { Transaction } from "../store/store.ts";
import type { ServiceContext } from "./context.ts";
import { giveBack } from "./credits.ts";
import { mustFind } from "./keys.ts";
import { contentBlocked, failureCode, type Outcome } from "./outcome.ts";
import { Refusal } from "./refusal.ts";

/** Everything that is needed to run a job and is forgotten when it ends. */
export interface JobWork {
  readonly job: JobRecord;
  readonly request: RenderRequest;
  readonly outcome: Outcome;
}

/** The right to run, which a job is given before it is made. */
export interface Place {
  /** The status that the job has when it is made now. */
  readonly status: "queued" | "running";
  /** Whether all places are taken, so that the job has to wait for one. */
  readonly waits: boolean;
}

type Ending =
  | { readonly result: ResultRecord }
  | { readonly errorCode: string; readonly errorMessage: string };

/** Takes jobs from their start to their end. */
export class JobLife {
  readonly #context: ServiceContext;
  readonly #delivery: WebhookDelivery;
  readonly #waiting: JobWork[] = [];
  readonly #endWaiters = new Map<string, ((job: JobRecord) => void)[]>();
  #taken = 0;

  constructor(context: ServiceContext, delivery: WebhookDelivery) {
    this.#context = context;
    this.#delivery = delivery;
  }

  /** Takes a place, or a place in the queue; it is either started on or given back. */
  reserve(): Place {
    const waits = this.#taken >= this.#context.settings.concurrency;
    if (!waits) this.#taken += 1;
    const status = waits && this.#context.options.reportQueued ? "queued" : "running";
    return { status, waits };
  }

  /** Gives back the place of a job that was not started. */
  async giveBack(place: Place): Promise<void> {
    if (!place.waits) await this.#leave();
  }

  /**
   * Starts a job, or lets it wait for a place.
   *
   * @throws Refusal `server-error` when the engine could not be reached; the place is still taken then.
   */
  async start(work: JobWork, place: Place): Promise<void> {
    await this.#prepare(work.job);
    if (place.waits) {
      this.#waiting.push(work);
      await this.#startNext();
    } else this.#run(work);
  }

  /** Resolves with the job when it ends. */
  ended(jobId: string): Promise<JobRecord> {
    return new Promise((resolve) => {
      this.#endWaiters.set(jobId, [...(this.#endWaiters.get(jobId) ?? []), resolve]);
    });
  }

  async #prepare(job: JobRecord): Promise<void> {
    if (job.testMode) return;
    try {
      await this.#context.engine.prepare?.();
    } catch {
      throw new Refusal(
        "server-error",
        "Server error before the model was reached; nothing was charged.",
      );
    }
  }

  #run(work: JobWork): void {
    const { clock } = this.#context.world;
    if (work.outcome.ending === "never") return;
    const startedAt = clock.now();
    const ending = clock.during(() => this.#ending(work));
    clock.setTimeout(() => {
      void clock.during(async () => {
        await this.#end(work.job.id, await ending, startedAt);
        await this.#leave();
      });
    }, work.outcome.durationMs ?? this.#context.settings.latency);
  }

  async #ending({ job, request, outcome }: JobWork): Promise<Ending> {
    if (outcome.ending === "failed") return failed(outcome.errorMessage ?? failureCode);
    try {
      const engine = job.testMode ? this.#context.stockEngine : this.#context.engine;
      const bytes = await engine.render(request);
      return { result: { bytes, ...pngSize(bytes) } };
    } catch {
      return failed("model_rejected");
    }
  }

  async #leave(): Promise<void> {
    this.#taken -= 1;
    await this.#startNext();
  }

  async #startNext(): Promise<void> {
    if (this.#taken >= this.#context.settings.concurrency) return;
    const work = this.#waiting.shift();
    if (work === undefined) return;
    this.#taken += 1;
    await this.#context.store.transact(async (transaction) => {
      const job = await transaction.job(work.job.id);
      if (job !== undefined) await transaction.putJob({ ...job, status: "running" });
    });
    this.#run(work);
  }

  async #end(jobId: string, ending: Ending, startedAt: number): Promise<void> {
    const completedAt = this.#context.world.clock.now();
    const outcome = await this.#context.store.transact(async (transaction) => {
      const job = await transaction.job(jobId);
      if (job === undefined) return undefined;
      const ended: JobRecord = {
        ...job,
        status: "result" in ending ? "succeeded" : "failed",
        completedAt,
        durationMs: Math.round(completedAt - startedAt),
        result: "result" in ending ? ending.result : null,
        errorCode: "result" in ending ? null : ending.errorCode,
        errorMessage: "result" in ending ? null : ending.errorMessage,
      };
      await transaction.putJob(ended);
      await this.#settleCredits(transaction, ended);
      return { job: ended, key: await mustFind(transaction, job.keyId) };
    });
    if (outcome === undefined) return;
    for (const resolve of this.#endWaiters.get(jobId) ?? []) resolve(outcome.job);
    this.#endWaiters.delete(jobId);
    await this.#delivery.announce(outcome.job, outcome.key.webhookSecret);
  }

  async #settleCredits(transaction: Transaction, job: JobRecord): Promise<void> {
    const { refund, suspendAfterContentBlocked } = this.#context.options;
    const key = await mustFind(transaction, job.keyId);
    const blocked = job.errorMessage === contentBlocked;
    const contentBlockedInARow = blocked ? key.contentBlockedInARow + 1 : 0;
    const suspended =
      suspendAfterContentBlocked !== "off" && contentBlockedInARow >= suspendAfterContentBlocked;
    const counted = {
      ...key,
      contentBlockedInARow,
      state: suspended ? ("suspended" as const) : key.state,
    };
    if (blocked || key.contentBlockedInARow !== 0) await transaction.putKey(counted);
    const refunded =
      job.status === "failed" &&
      (refund === "failed" || (refund === "failed-except-content-blocked" && !blocked));
    if (refunded) await giveBack(transaction, counted, job, job.completedAt ?? job.createdAt);
  }
}

function failed(errorMessage: string): Ending {
  return { errorCode: failureCode, errorMessage };
}
