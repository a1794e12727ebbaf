import type { WebhookDelivery } from "../delivery/webhook-delivery.ts";
import type { Engine, RenderRequest } from "../engine/engine.ts";
import { pngSize } from "../engine/png.ts";
import type { Options } from "../options.ts";
import type { JobRecord } from "../store/records.ts";
import type { ServiceContext } from "./context.ts";
import { settleCredits } from "./credits.ts";
import { failureCauses, failureCode, type Outcome } from "./next-jobs.ts";

/** Input of a job, dropped when the job ends. */
export interface JobWork {
  readonly job: JobRecord;
  readonly engine: Engine;
  readonly request: RenderRequest;
  readonly outcome: Outcome;
}

type Ending = Pick<JobRecord, "status" | "result" | "errorCode" | "errorMessage">;

/** Unfinished job as data. It has the result image, but none of the submitted images. */
export interface UnfinishedJobState {
  readonly jobId: string;
  readonly durationMs: number;
  /** Undefined while the job waits for a slot. */
  readonly startedAt: number | undefined;
  readonly ending: Ending | "never";
}

interface UnfinishedJob {
  readonly jobId: string;
  readonly durationMs: number;
  startedAt: number | undefined;
  /** Undefined until the image is rendered. */
  ending: Ending | "never" | undefined;
  /** Renders the image, or its result. Removed once `ending` is known, which drops the submitted images. */
  rendering: (() => Promise<Ending>) | Promise<Ending> | undefined;
}

/** Runs jobs and ends them. */
export class JobScheduler {
  readonly #context: ServiceContext;
  readonly #delivery: WebhookDelivery;
  readonly #running = new Map<string, UnfinishedJob>();
  readonly #waiting: UnfinishedJob[] = [];
  readonly #endWaiters = new Map<string, () => void>();
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
  start({ job, engine, request, outcome }: JobWork, hasSlot: boolean): void {
    const { settings, options, system } = this.#context;
    const failed = failureOf(options);
    // The seed and the job alone determine the draw, whatever else is drawn.
    const seed = [system.random.seed, "latency", job.id].join("\n");
    const ending = plannedEnding(outcome, failed);
    const unfinished: UnfinishedJob = {
      jobId: job.id,
      durationMs: outcome.durationMs ?? settings.latency(job.outputSize, seed),
      startedAt: undefined,
      ending,
      rendering: ending === undefined ? () => render(engine, request, failed) : undefined,
    };
    if (hasSlot) this.#run(unfinished);
    else {
      this.#waiting.push(unfinished);
      this.#startNext();
    }
  }

  /** Resolves when a job ends. Only the request that created the job waits for it. */
  ended(jobId: string): Promise<void> {
    return new Promise((resolve) => this.#endWaiters.set(jobId, resolve));
  }

  /** Start time of a running job. Undefined for any other job. */
  startedAt(jobId: string): number | undefined {
    return this.#running.get(jobId)?.startedAt;
  }

  /** Renders the images of waiting jobs, so that {@link state} contains no submitted image. */
  async precompute(): Promise<void> {
    for (const job of this.#waiting) await finishRendering(job);
  }

  /** Undefined while an image is being rendered. */
  state(): readonly UnfinishedJobState[] | undefined {
    const jobs = [...this.#running.values(), ...this.#waiting];
    const states = jobs.flatMap(({ jobId, durationMs, startedAt, ending }) =>
      // Stryker disable next-line ConditionalExpression,ArrayDeclaration: no test can begin rendering within a microtask.
      ending === undefined ? [] : [{ jobId, durationMs, startedAt, ending }],
    );
    // Stryker disable next-line ConditionalExpression: the reason is the same.
    return states.length === jobs.length ? states : undefined;
  }

  /** Restores a state. The system's scheduler has the end times of the jobs. */
  resume(states: readonly UnfinishedJobState[]): void {
    for (const state of states) {
      const job = { ...state, rendering: undefined };
      if (state.startedAt === undefined) this.#waiting.push(job);
      else this.#running.set(state.jobId, job);
    }
    this.#slotsTaken = this.#running.size;
  }

  get #isFull(): boolean {
    return this.#slotsTaken >= this.#context.settings.concurrency;
  }

  #run(job: UnfinishedJob): void {
    const { clock, scheduler } = this.#context.system;
    const startedAt = clock.now();
    job.startedAt = startedAt;
    this.#running.set(job.jobId, job);
    if (job.ending === "never") return;
    void clock.during(() => finishRendering(job));
    scheduler.add({ kind: "job-end", id: job.jobId, dueAt: startedAt + job.durationMs });
  }

  #startNext(): void {
    if (this.#isFull) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#slotsTaken += 1;
    this.#context.store.transact((tables) => {
      tables.jobs.put({ ...tables.jobs.getOrThrow(next.jobId), status: "running" });
    });
    this.#run(next);
  }

  async #end(jobId: string): Promise<void> {
    // Only a running job has this task, and only if its ending is not "never".
    const running = this.#running.get(jobId) as UnfinishedJob;
    const ending = (await finishRendering(running)) as Ending;
    this.#finish(jobId, ending, running.startedAt);
    this.#running.delete(jobId);
    this.releaseSlot();
  }

  #finish(jobId: string, ending: Ending, startedAt: number | undefined): void {
    const completedAt = this.#context.system.clock.now();
    const [job, webhookSecret] = this.#context.store.transact((tables) => {
      const started = tables.jobs.getOrThrow(jobId);
      const durationMs = Math.round(completedAt - (startedAt ?? started.createdAt));
      const ended: JobRecord = { ...started, ...ending, completedAt, durationMs };
      tables.jobs.put(ended);
      settleCredits(tables, ended, this.#context.options);
      return [ended, tables.keys.getOrThrow(ended.keyId).webhookSecret];
    });
    this.#endWaiters.get(jobId)?.();
    // Stryker disable next-line CallExpression: it only frees memory.
    this.#endWaiters.delete(jobId);
    this.#delivery.deliver(job, webhookSecret);
  }
}

function plannedEnding(
  { ending, errorMessage }: Outcome,
  failed: ReturnType<typeof failureOf>,
): Ending | "never" | undefined {
  if (ending === "never") return ending;
  return ending === "failed" ? failed(errorMessage ?? failureCode) : undefined;
}

async function render(
  engine: Engine,
  request: RenderRequest,
  failed: ReturnType<typeof failureOf>,
): Promise<Ending> {
  try {
    const bytes = await engine.render(request);
    const result = { bytes, ...pngSize(bytes) };
    return { status: "succeeded", result, errorCode: null, errorMessage: null };
  } catch {
    return failed("model_rejected");
  }
}

/** Returns a function that creates the ending of a failed job. */
function failureOf({ errorCodes }: Options): (errorMessage: string) => Ending {
  return (errorMessage) => {
    const isCode = errorCodes === "cause" && failureCauses.includes(errorMessage);
    const errorCode = isCode ? errorMessage : failureCode;
    return { status: "failed", result: null, errorCode, errorMessage };
  };
}

/** Renders the image of a job once. */
async function finishRendering(job: UnfinishedJob): Promise<Ending | "never" | undefined> {
  if (typeof job.rendering === "function") job.rendering = job.rendering();
  job.ending ??= await job.rendering;
  job.rendering = undefined;
  return job.ending;
}
