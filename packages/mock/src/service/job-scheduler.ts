import type { WebhookDelivery } from "../delivery/webhook-delivery.ts";
import type { RenderRequest } from "../engine/engine.ts";
import { pngSize } from "../engine/png.ts";
import type { JobRecord } from "../store/records.ts";
import type { ServiceContext } from "./context.ts";
import { JobPlan, type Ending, type PlanState } from "./job-plan.ts";
import { mustFind } from "./keys.ts";
import { failureCode, type Outcome } from "./outcome.ts";
import { serverError } from "./service-error.ts";
import { settleCredits } from "./settlement.ts";

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

/** The jobs that have not ended, in data. */
export interface JobSchedulerState {
  readonly running: readonly (PlanState & { readonly startedAt: number })[];
  readonly waiting: readonly PlanState[];
}

interface RunningJob {
  readonly plan: JobPlan;
  readonly startedAt: number;
}

/** Takes jobs from their start to their end. */
export class JobScheduler {
  readonly #context: ServiceContext;
  readonly #delivery: WebhookDelivery;
  readonly #running = new Map<string, RunningJob>();
  readonly #waiting: JobPlan[] = [];
  readonly #endWaiters = new Map<string, ((job: JobRecord) => void)[]>();
  #taken = 0;

  constructor(context: ServiceContext, delivery: WebhookDelivery) {
    this.#context = context;
    this.#delivery = delivery;
    const { scheduler, clock } = context.system;
    scheduler.on("job-end", (jobId) => void clock.during(() => this.#end(jobId)));
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
    const plan = this.#plan(work);
    if (place.waits) {
      this.#waiting.push(plan);
      await this.#startNext();
    } else this.#run(plan);
  }

  /** Resolves with the job when it ends. */
  ended(jobId: string): Promise<JobRecord> {
    return new Promise((resolve) => {
      this.#endWaiters.set(jobId, [...(this.#endWaiters.get(jobId) ?? []), resolve]);
    });
  }

  /** When a job that has not ended got its place; undefined for one that waits for it. */
  startedAt(jobId: string): number | undefined {
    return this.#running.get(jobId)?.startedAt;
  }

  /** Makes the images of the jobs that wait, so that {@link state} can do without what was sent. */
  async foresee(): Promise<void> {
    for (const plan of this.#waiting) await plan.ending();
  }

  /** Undefined while an image is still being made. */
  state(): JobSchedulerState | undefined {
    const running = [...this.#running.values()].flatMap(({ plan, startedAt }) =>
      plan.state === undefined ? [] : [{ ...plan.state, startedAt }],
    );
    const waiting = this.#waiting.flatMap(({ state }) => state ?? []);
    const whole = running.length === this.#running.size && waiting.length === this.#waiting.length;
    return whole ? { running, waiting } : undefined;
  }

  /** Goes on from a state; when each job ends is in the scheduler. */
  resume(state: JobSchedulerState): void {
    for (const { startedAt, ...job } of state.running) {
      this.#running.set(job.jobId, { plan: new JobPlan(job, job.ending), startedAt });
    }
    this.#waiting.push(...state.waiting.map((job) => new JobPlan(job, job.ending)));
    this.#taken = this.#running.size;
  }

  async #prepare(job: JobRecord): Promise<void> {
    if (job.testMode) return;
    try {
      await this.#context.engine.prepare?.();
    } catch {
      throw serverError();
    }
  }

  #plan({ job, request, outcome }: JobWork): JobPlan {
    const durationMs = outcome.durationMs ?? this.#context.settings.latency;
    const plan = { jobId: job.id, durationMs };
    if (outcome.ending === "never") return new JobPlan(plan, "never");
    if (outcome.ending === "failed") {
      return new JobPlan(plan, failed(outcome.errorMessage ?? failureCode));
    }
    const engine = job.testMode ? this.#context.stockEngine : this.#context.engine;
    return new JobPlan(plan, async () => {
      try {
        const bytes = await engine.render(request);
        return { result: { bytes, ...pngSize(bytes) } };
      } catch {
        return failed("model_rejected");
      }
    });
  }

  #run(plan: JobPlan): void {
    const { clock, scheduler } = this.#context.system;
    const startedAt = clock.now();
    this.#running.set(plan.jobId, { plan, startedAt });
    if (plan.endsNever) return;
    void clock.during(() => plan.ending());
    scheduler.add({ kind: "job-end", id: plan.jobId, dueAt: startedAt + plan.durationMs });
  }

  async #leave(): Promise<void> {
    this.#taken -= 1;
    await this.#startNext();
  }

  async #startNext(): Promise<void> {
    if (this.#taken >= this.#context.settings.concurrency) return;
    const plan = this.#waiting.shift();
    if (plan === undefined) return;
    this.#taken += 1;
    await this.#context.store.transact(async (transaction) => {
      const job = await transaction.job(plan.jobId);
      if (job !== undefined) await transaction.putJob({ ...job, status: "running" });
    });
    this.#run(plan);
  }

  async #end(jobId: string): Promise<void> {
    const running = this.#running.get(jobId);
    const ending = await running?.plan.ending();
    if (running === undefined || ending === undefined) return;
    await this.#finish(jobId, ending, running.startedAt);
    this.#running.delete(jobId);
    await this.#leave();
  }

  async #finish(jobId: string, ending: Ending, startedAt: number): Promise<void> {
    const completedAt = this.#context.system.clock.now();
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
      await settleCredits(transaction, ended, this.#context.options);
      return { job: ended, key: await mustFind(transaction, job.keyId) };
    });
    if (outcome === undefined) return;
    for (const resolve of this.#endWaiters.get(jobId) ?? []) resolve(outcome.job);
    this.#endWaiters.delete(jobId);
    await this.#delivery.announce(outcome.job, outcome.key.webhookSecret);
  }
}

function failed(errorMessage: string): Ending {
  return { errorCode: failureCode, errorMessage };
}
