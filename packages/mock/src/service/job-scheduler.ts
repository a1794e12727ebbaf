import type { WebhookDelivery } from "../delivery/webhook-delivery.ts";
import type { Bytes, Engine, RenderRequest } from "../engine/engine.ts";
import { pngSize } from "../engine/png.ts";
import { stockImageLength } from "../engine/stock.ts";
import type { Options } from "../options.ts";
import { host } from "../system/host.ts";
import { show } from "@tryon/shared/options";
import type { JobEnding, JobRecord, ResultRecord, UnfinishedJobRecord } from "../store/records.ts";
import { sizes } from "./catalogue.ts";
import type { ServiceContext } from "./context.ts";
import { settleCredits } from "./credits.ts";
import { failureCauses, failureCode, type Outcome } from "./next-jobs.ts";

export interface JobWork {
  readonly engine: Engine;
  readonly request: RenderRequest;
}

export class JobScheduler {
  readonly #context: ServiceContext;
  readonly #delivery: WebhookDelivery;
  readonly #onEnd: () => void;
  /** Images that are being rendered, by the id of their job. Each drops the submitted images when it ends. */
  readonly #rendering = new Map<string, Promise<void>>();
  #waiting: string[] = [];
  readonly #endWaiters = new Map<string, () => void>();
  #slotsTaken = 0;

  /** @param onEnd called after the end of each job. */
  constructor(context: ServiceContext, delivery: WebhookDelivery, onEnd: () => void) {
    this.#context = context;
    this.#delivery = delivery;
    this.#onEnd = onEnd;
  }

  get nextStatus(): "queued" | "running" {
    return this.#isFull && this.#context.options.reportQueued ? "queued" : "running";
  }

  takeSlot(): boolean {
    if (this.#isFull) return false;
    this.#slotsTaken += 1;
    return true;
  }

  releaseSlot(): void {
    this.#slotsTaken -= 1;
    this.#startNext();
  }

  /** @param fingerprint of a job with a stock image, which is drawn when it is read. */
  plan(job: JobRecord, outcome: Outcome, fingerprint: string | undefined): UnfinishedJobRecord {
    const { settings, options, system } = this.#context;
    const planned = plannedEnding(outcome, options);
    const result =
      planned === null && fingerprint !== undefined ? stockResult(job, fingerprint) : null;
    // The seed and the job alone determine the draw, whatever else is drawn.
    // Stryker disable next-line StringLiteral: with another text, the times differ as with another seed.
    const seed = [system.random.seed, "latency", job.id].join("\n");
    return {
      jobId: job.id,
      durationMs: outcome.durationMs ?? settings.latency(job.outputSize, seed),
      startedAt: this.#isFull ? null : system.clock.now(),
      ending: result === null ? planned : succeeded,
      result,
    };
  }

  start(unfinished: UnfinishedJobRecord, { engine, request }: JobWork): void {
    const { options, system } = this.#context;
    const { jobId } = unfinished;
    if (unfinished.ending === null) {
      // Jobs in the queue are rendered too, so that their images are dropped.
      const rendering = system.clock.during(async () =>
        this.#setEnding(jobId, await render(engine, request, options)),
      );
      this.#rendering.set(jobId, rendering);
    }
    if (unfinished.startedAt !== null) this.#schedule(unfinished);
    else {
      this.#waiting.push(jobId);
      this.#startNext();
    }
  }

  /** Resolves when a job ends. Only the request that created the job waits for it. */
  ended(jobId: string): Promise<void> {
    return new Promise((resolve) => this.#endWaiters.set(jobId, resolve));
  }

  /** A job of the store whose image was not rendered fails, because submitted images are not stored. */
  resume(): void {
    const { store, options } = this.#context;
    for (const job of store.transact((tables) => tables.unfinished.all())) {
      if (job.ending === null) this.#setEnding(job.jobId, failed("storage_failed", options));
      if (job.startedAt === null) this.#waiting.push(job.jobId);
      else {
        this.#slotsTaken += 1;
        this.#schedule(job);
      }
    }
    // The setting `concurrency` may have changed.
    while (this.#startNext());
  }

  get #isFull(): boolean {
    return this.#slotsTaken >= this.#context.settings.concurrency;
  }

  #schedule(job: UnfinishedJobRecord): void {
    const dueAt = endsAt(job);
    if (dueAt === null) return;
    const { clock } = this.#context.system;
    const end = (): void => void clock.during(() => this.#end(job.jobId));
    clock.setTimeout(end, dueAt - clock.now());
  }

  #startNext(): boolean {
    if (this.#isFull) return false;
    const jobId = this.#waiting.shift();
    if (jobId === undefined) return false;
    this.#slotsTaken += 1;
    const { store, system } = this.#context;
    const started = store.transact((tables) => {
      const job = { ...tables.unfinished.getOrThrow(jobId), startedAt: system.clock.now() };
      tables.unfinished.put(job);
      tables.jobs.put({ ...tables.jobs.getOrThrow(jobId), status: "running" });
      return job;
    });
    this.#schedule(started);
    return true;
  }

  #setEnding(jobId: string, { result, ...ending }: JobEnding): void {
    // Stryker disable next-line CallExpression: it only frees memory.
    this.#rendering.delete(jobId);
    this.#context.store.transact((tables) =>
      tables.unfinished.put({ ...tables.unfinished.getOrThrow(jobId), ending, result }),
    );
  }

  async #end(jobId: string): Promise<void> {
    await this.#rendering.get(jobId);
    this.#finish(jobId);
    this.releaseSlot();
  }

  #finish(jobId: string): void {
    const { store, system, options } = this.#context;
    const completedAt = system.clock.now();
    const deliveryId = store.transact((tables) => {
      const { startedAt, ending, result } = tables.unfinished.getOrThrow(jobId);
      const started = tables.jobs.getOrThrow(jobId);
      const durationMs = Math.round(completedAt - (startedAt ?? started.createdAt));
      // Only a job that ends, and whose image is rendered, gets here.
      const known = ending as Omit<JobEnding, "result">;
      const ended: JobRecord = { ...started, ...known, result, completedAt, durationMs };
      tables.jobs.put(ended);
      tables.unfinished.remove(jobId);
      settleCredits(tables, ended, options);
      return this.#delivery.add(tables, ended);
    });
    this.#endWaiters.get(jobId)?.();
    // Stryker disable next-line CallExpression: it only frees memory.
    this.#endWaiters.delete(jobId);
    // Stryker disable next-line ConditionalExpression: an attempt of no delivery does nothing.
    if (deliveryId !== undefined) void this.#delivery.attempt(deliveryId);
    this.#onEnd();
  }
}

export function endsAt({ ending, startedAt, durationMs }: UnfinishedJobRecord): number | null {
  return ending === "never" || startedAt === null ? null : startedAt + durationMs;
}

const succeeded = { status: "succeeded", errorCode: null, errorMessage: null } as const;

function stockResult({ outputSize, seed }: JobRecord, fingerprint: string): ResultRecord {
  const { width, height } = sizes[outputSize];
  const length = stockImageLength({ width, height, fingerprint, seed });
  return { width, height, length, fingerprint };
}

function plannedEnding(
  { ending, errorMessage }: Outcome,
  options: Options,
): UnfinishedJobRecord["ending"] {
  if (ending === "never") return ending;
  return ending === "failed" ? failed(errorMessage ?? failureCode, options) : null;
}

async function render(
  engine: Engine,
  request: RenderRequest,
  options: Options,
): Promise<JobEnding> {
  let bytes: Bytes;
  try {
    bytes = await engine.render(request);
  } catch {
    return failed("model_rejected", options);
  }
  const size = pngSize(bytes);
  if (size !== undefined) {
    return { ...succeeded, result: { ...size, length: bytes.length, bytes } };
  }
  const problem = `The engine ${show(engine.name)} of the reference server returned no whole PNG: its render() must return the bytes from the signature to IEND.`;
  // The app under test may not show the message.
  host.warn(`tryon-mock: ${problem}`);
  return failed(problem, options);
}

function failed(errorMessage: string, { errorCodes }: Options): JobEnding {
  const isCode = errorCodes === "cause" && failureCauses.includes(errorMessage);
  const errorCode = isCode ? errorMessage : failureCode;
  return { status: "failed", result: null, errorCode, errorMessage };
}
