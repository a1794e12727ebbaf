import type { WebhookDelivery } from "../delivery/webhook-delivery.ts";
import type { RenderRequest } from "../engine/engine.ts";
import { pngSize } from "../engine/png.ts";
import type { JobRecord } from "../store/records.ts";
import { getKey } from "../store/store.ts";
import type { ServiceContext } from "./context.ts";
import { JobPlan, type Ending, type PlanState } from "./job-plan.ts";
import { settleCredits } from "./credits.ts";
import { failureCode, type Outcome } from "./next-jobs.ts";

/** Input of a job, dropped when the job ends. */
export interface JobWork {
  readonly job: JobRecord;
  readonly request: RenderRequest;
  readonly outcome: Outcome;
}

/** Unfinished jobs as data. */
export interface JobSchedulerState {
  readonly running: readonly (PlanState & { readonly startedAt: number })[];
  readonly waiting: readonly PlanState[];
}

interface RunningJob {
  readonly plan: JobPlan;
  readonly startedAt: number;
}

/** Runs jobs and ends them. */
export class JobScheduler {
  readonly #context: ServiceContext;
  readonly #delivery: WebhookDelivery;
  readonly #running = new Map<string, RunningJob>();
  readonly #waiting: JobPlan[] = [];
  readonly #endWaiters = new Map<string, ((job: JobRecord) => void)[]>();
  #slotsTaken = 0;

  constructor(context: ServiceContext, delivery: WebhookDelivery) {
    this.#context = context;
    this.#delivery = delivery;
    const { scheduler, clock } = context.system;
    scheduler.on("job-end", (jobId) => void clock.during(() => this.#end(jobId)));
  }

  /** Status of a job that is created now. */
  get nextStatus(): "queued" | "running" {
    return this.#isFull && this.#context.options.reportQueued ? "queued" : "running";
  }

  /** Takes a slot for a job. Returns false if all slots are taken and the job has to wait. */
  takeSlot(): boolean {
    if (this.#isFull) return false;
    this.#slotsTaken += 1;
    return true;
  }

  /** Releases the slot of a job, which starts the next job in the queue. */
  releaseSlot(): void {
    this.#slotsTaken -= 1;
    this.#startNext();
  }

  /** Starts a job that has a slot, or queues it. */
  start(work: JobWork, hasSlot: boolean): void {
    const plan = this.#plan(work);
    if (hasSlot) this.#run(plan);
    else {
      this.#waiting.push(plan);
      this.#startNext();
    }
  }

  /** Resolves with the job when it ends. */
  ended(jobId: string): Promise<JobRecord> {
    return new Promise((resolve) => {
      this.#endWaiters.set(jobId, [...(this.#endWaiters.get(jobId) ?? []), resolve]);
    });
  }

  /** Start time of a running job. Undefined for any other job. */
  startedAt(jobId: string): number | undefined {
    return this.#running.get(jobId)?.startedAt;
  }

  /** Renders the images of waiting jobs, so that {@link state} contains no submitted image. */
  async precompute(): Promise<void> {
    for (const plan of this.#waiting) await plan.ending();
  }

  /** Undefined while an image is being rendered. */
  state(): JobSchedulerState | undefined {
    const running = [...this.#running.values()].flatMap(({ plan, startedAt }) =>
      plan.state === undefined ? [] : [{ ...plan.state, startedAt }],
    );
    const waiting = this.#waiting.flatMap(({ state }) => state ?? []);
    const isComplete =
      running.length === this.#running.size && waiting.length === this.#waiting.length;
    return isComplete ? { running, waiting } : undefined;
  }

  /** Restores a state. The system's scheduler has the end times of the jobs. */
  resume(state: JobSchedulerState): void {
    for (const { startedAt, ...job } of state.running) {
      this.#running.set(job.jobId, { plan: new JobPlan(job, job.ending), startedAt });
    }
    this.#waiting.push(...state.waiting.map((job) => new JobPlan(job, job.ending)));
    this.#slotsTaken = this.#running.size;
  }

  get #isFull(): boolean {
    return this.#slotsTaken >= this.#context.settings.concurrency;
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

  #startNext(): void {
    if (this.#isFull) return;
    const plan = this.#waiting.shift();
    if (plan === undefined) return;
    this.#slotsTaken += 1;
    this.#context.store.transact((transaction) => {
      const job = transaction.job(plan.jobId);
      if (job !== undefined) transaction.putJob({ ...job, status: "running" });
    });
    this.#run(plan);
  }

  async #end(jobId: string): Promise<void> {
    const running = this.#running.get(jobId);
    const ending = await running?.plan.ending();
    if (running === undefined || ending === undefined) return;
    this.#finish(jobId, ending, running.startedAt);
    this.#running.delete(jobId);
    this.releaseSlot();
  }

  #finish(jobId: string, ending: Ending, startedAt: number): void {
    const completedAt = this.#context.system.clock.now();
    const outcome = this.#context.store.transact((transaction) => {
      const job = transaction.job(jobId);
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
      transaction.putJob(ended);
      settleCredits(transaction, ended, this.#context.options);
      return { job: ended, key: getKey(transaction, job.keyId) };
    });
    if (outcome === undefined) return;
    for (const resolve of this.#endWaiters.get(jobId) ?? []) resolve(outcome.job);
    this.#endWaiters.delete(jobId);
    this.#delivery.deliver(outcome.job, outcome.key.webhookSecret);
  }
}

function failed(errorMessage: string): Ending {
  return { errorCode: failureCode, errorMessage };
}
