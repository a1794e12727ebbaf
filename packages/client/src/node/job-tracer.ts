import { tracingChannel } from "node:diagnostics_channel";

import { isJobId } from "../api/api.ts";
import type { ClientClock } from "../config/clock.ts";
import type { Redact } from "../errors/redact.ts";
import { AttemptLog } from "../http/attempt-log.ts";
import { isRetryable } from "../http/retry-policy.ts";
import { takeKeyFromMetadata } from "../jobs/parse-input.ts";
import type { JobData } from "../types/job.ts";
import type { MiddlewareContext } from "../types/middleware.ts";

/** Message of the channels about one job. Contains no API key, URL or image. */
export interface JobMessage {
  /** Idempotency key of the submission. */
  readonly idempotencyKey: string;
  /** Number of requests that submitted the job. */
  attempts: number;
  /** Id of the job, once a response has it. */
  jobId?: string;
  /** Last observed status of the job. */
  status?: string;
  /** Cost of the job in credits, if the service has said it. */
  credits?: number;
  /** Milliseconds from the first request to the end. */
  duration?: number;
  /** Failure of the job or refusal of its submission, in the channel `error`. */
  readonly error?: Error & {
    /** `error_code` of the job, or the HTTP status of the refusal. */
    readonly code?: string;
  };
}

interface OpenJob {
  readonly message: JobMessage;
  readonly start: number;
  readonly attemptLog: AttemptLog;
  readonly settle: (error?: Error) => void;
}

const maxJobs = 10_000;
const maxBody = 8 * 2 ** 20;

export class JobTracer {
  readonly #clock: ClientClock;
  readonly #redact: Redact;
  readonly #channel = tracingChannel<unknown, JobMessage>("tryon:job");
  readonly #open = new Map<string, OpenJob>();
  readonly #byId = new Map<string, OpenJob>();
  /** Keys of ended jobs, oldest first. A repeat returns the same job. */
  readonly #ended = new Set<string>();

  constructor(clock: ClientClock, redact: Redact) {
    this.#clock = clock;
    this.#redact = redact;
  }

  async trace(
    { purpose, idempotencyKey: key }: MiddlewareContext,
    send: () => Promise<Response>,
  ): Promise<Response> {
    // `hasSubscribers` of the tracing channel itself is missing in Node 20.
    const { start, error, asyncEnd } = this.#channel;
    if (!start.hasSubscribers && !error.hasSubscribers && !asyncEnd.hasSubscribers) return send();
    if (purpose === "submit")
      return key && !this.#ended.has(key) ? this.#submit(key, send) : send();
    const response = await send();
    if (purpose === "read" && response.ok && this.#open.size > 0) {
      const content = await readJson(response.clone());
      const { jobs } = Object(content) as { jobs?: unknown };
      for (const data of Array.isArray(jobs) ? (jobs as unknown[]) : [content]) this.#update(data);
    }
    return response;
  }

  async #submit(key: string, send: () => Promise<Response>): Promise<Response> {
    if (!this.#open.has(key)) this.#start(key);
    const job = this.#open.get(key);
    if (!job) return send();
    const { attemptLog, message } = job;
    message.attempts += 1;
    attemptLog.open += 1;
    const startedAt = this.#clock.now();
    const start = this.#clock.monotonic();
    const add = (outcome: Parameters<AttemptLog["add"]>[0]) =>
      attemptLog.add(outcome, startedAt, this.#clock.monotonic() - start);
    let response: Response;
    try {
      response = await send();
    } catch (cause) {
      add({ failure: "connection_failed", cause });
      throw cause;
    }
    const { status, headers, ok } = response;
    const content = await readJson(response.clone());
    const redirect = status >= 300 && status < 400;
    add({ response: { status, headers, response, text: "", content, redirect } });
    if (ok) this.#update(content, job);
    else if (!isRetryable(status) && !attemptLog.mayHaveMadeJob) {
      this.#end(job, `The submission was refused with status ${status}.`, `${status}`);
    }
    return response;
  }

  #start(key: string): void {
    const [oldest] = this.#open.values();
    if (oldest && this.#open.size >= maxJobs) this.#forget(oldest);
    const message: JobMessage = { idempotencyKey: key, attempts: 0 };
    const state = { message, start: this.#clock.monotonic(), attemptLog: new AttemptLog() };
    const open = (): Promise<void> =>
      new Promise((resolve, reject) => {
        const settle = (error?: Error): void => (error ? reject(error) : resolve());
        this.#open.set(key, { ...state, settle });
      });
    this.#channel.tracePromise(open, message).catch(() => undefined);
  }

  #update(content: unknown, submitted?: OpenJob): void {
    const { job_id: id, status, cost_credits: credits } = Object(content) as Partial<JobData>;
    if (!isJobId(id) || typeof status !== "string") return;
    // A job that was found in the list has its key in its metadata.
    const { idempotencyKey = "" } = takeKeyFromMetadata(content as JobData);
    const job = submitted ?? this.#byId.get(id) ?? this.#open.get(idempotencyKey);
    if (!job) return;
    const { message } = job;
    message.jobId = id;
    message.status = this.#redact(status);
    if (typeof credits === "number") message.credits = credits;
    this.#byId.set(id, job);
    const code = this.#redact(Object(content).error_code);
    if (status === "failed") this.#end(job, `Job ${id} failed${code && `: ${code}`}.`, code);
    else if (status === "succeeded") this.#end(job);
  }

  #end(job: OpenJob, problem?: string, code?: string): void {
    const { message, start } = job;
    // Another attempt may have ended it.
    if (this.#open.get(message.idempotencyKey) !== job) return;
    message.duration = Math.round(this.#clock.monotonic() - start);
    this.#forget(job);
    if (message.jobId) {
      this.#ended.add(message.idempotencyKey);
      const [oldest = ""] = this.#ended;
      if (this.#ended.size > maxJobs) this.#ended.delete(oldest);
    }
    job.settle(problem ? Object.assign(new Error(problem), code && { code }) : undefined);
  }

  #forget({ message: { idempotencyKey, jobId = "" } }: OpenJob): void {
    this.#open.delete(idempotencyKey);
    this.#byId.delete(jobId);
  }
}

async function readJson(response: Response): Promise<unknown> {
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  let text = "";
  try {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done) return JSON.parse(text + decoder.decode()) as unknown;
      text += decoder.decode(value, { stream: true });
      if (text.length > maxBody) break;
    }
  } catch {
    return undefined;
  }
  // Resolves only after the client has canceled its own copy.
  reader?.cancel().catch(() => undefined);
  return undefined;
}
