import { isTryOnError, type Job, type OnUpdate, type TryOn, type Update } from "@tryon/client";

import { errorMessage, type ErrorAction, type ErrorMessage } from "./error-message.ts";
import { stepOf, type Step } from "./progress.ts";
import type { RequestStore } from "./request-store.ts";
import {
  canResume,
  submitTimeout,
  toInput,
  type FormValues,
  type TryOnRequest,
} from "./try-on-request.ts";

/** State of a session, as the result panel shows it. A request of an earlier visit is `saved`. */
export type SessionState =
  | { readonly name: "empty" }
  | { readonly name: "saved" | "stopped"; readonly person: Blob }
  | {
      readonly name: "running";
      readonly person: Blob;
      readonly step: Step;
      readonly startedAt: number;
    }
  | {
      readonly name: "failed";
      readonly person: Blob;
      readonly message: ErrorMessage;
      readonly code: string;
    }
  | { readonly name: "done"; readonly before: Blob; readonly after: Blob };

interface CallOptions {
  readonly signal: AbortSignal;
  readonly onUpdate: OnUpdate;
}

/** Takes one visitor from a submitted form to the image. It is independent of the page's elements. */
export class TryOnSession {
  readonly #tryon: TryOn;
  readonly #store: RequestStore;
  readonly #onState: (state: SessionState) => void;
  #request: TryOnRequest | undefined;
  #abort: AbortController | undefined;
  #error: unknown;

  constructor(tryon: TryOn, store: RequestStore, onState: (state: SessionState) => void) {
    this.#tryon = tryon;
    this.#store = store;
    this.#onState = onState;
  }

  /** Offers to resume the request of an earlier visit. */
  async open(): Promise<void> {
    const request = await this.#store.load();
    // The visitor may have started a new request meanwhile.
    if (this.#request !== undefined) return;
    if (request === undefined || !this.#canResume(request)) return this.discard();
    this.#request = request;
    this.#onState({ name: "saved", person: request.person });
  }

  async start(values: FormValues): Promise<void> {
    const request: TryOnRequest = {
      ...values,
      idempotencyKey: crypto.randomUUID(),
      startedAt: Date.now(),
    };
    await this.#run(request, async (options) => {
      // Saved before it is sent, so that a reload can send the same request under the same key.
      await this.#store.save(request);
      return this.#submit(request, options);
    });
  }

  async resume(): Promise<void> {
    const request = this.#request;
    if (request === undefined || !this.#canResume(request)) return this.discard();
    await this.#run(request, async (options) =>
      request.job === undefined
        ? this.#submit(request, options)
        : this.#tryon.jobs.resume(request.job),
    );
  }

  /** Runs the action of an error message. */
  async recover(action: ErrorAction): Promise<void> {
    const request = this.#request;
    if (request === undefined || action === "edit") return this.discard();
    if (action === "reload") return location.reload();
    if (action === "retry") return this.start(request);
    const recover = action === "check" ? recoveryOf(this.#error) : undefined;
    // The time limit of `recover` starts in this visit, although an earlier one may have sent the request.
    if (recover === undefined || !this.#canResume(request)) return this.resume();
    await this.#run(request, ({ signal }) => recover({ signal, timeout: submitTimeout }));
  }

  /** Stops waiting. The job continues, because it cannot be canceled. */
  stop(): void {
    this.#abort?.abort();
  }

  async discard(): Promise<void> {
    this.stop();
    this.#request = undefined;
    this.#onState({ name: "empty" });
    await this.#store.clear();
  }

  #canResume(request: TryOnRequest): boolean {
    return canResume(request, Date.now(), this.#tryon.idempotencyWindow);
  }

  #submit(request: TryOnRequest, options: CallOptions): Promise<Job> {
    const { idempotencyKey } = request;
    const timeout = submitTimeout;
    return this.#tryon.submit(toInput(request), { ...options, idempotencyKey, timeout });
  }

  async #run(request: TryOnRequest, getJob: (options: CallOptions) => Promise<Job>): Promise<void> {
    const { person, startedAt, idempotencyKey } = request;
    const abort = new AbortController();
    const { signal } = abort;
    this.#request = request;
    this.#abort = abort;
    // The visitor may discard the request, or start another.
    const isCurrent = (): boolean =>
      this.#abort === abort && this.#request?.idempotencyKey === idempotencyKey;
    const showStep = (step: Step): void => {
      if (isCurrent() && !signal.aborted) {
        this.#onState({ name: "running", person, step, startedAt });
      }
    };
    const options = { signal, onUpdate: (update: Update) => showStep(stepOf(update)) };
    showStep("preparing");
    try {
      const job = await getJob(options);
      if (isCurrent()) {
        this.#request = { ...request, job: job.toJSON() };
        await this.#store.save(this.#request);
      }
      const result = await job.result(options);
      showStep("downloading");
      const after = await result.image.blob({ signal });
      if (isCurrent()) this.#onState({ name: "done", before: person, after });
    } catch (error) {
      if (!isCurrent()) return;
      if (signal.aborted) return this.#onState({ name: "stopped", person });
      this.#error = error;
      const message = errorMessage(error, this.#request.job !== undefined);
      const code = isTryOnError(error) ? error.code : "unexpected";
      this.#onState({ name: "failed", person, message, code });
    }
  }
}

function recoveryOf(error: unknown) {
  return isTryOnError(error, "outcome_unknown") ||
    isTryOnError(error, "server_error") ||
    isTryOnError(error, "unavailable") ||
    isTryOnError(error, "idempotency_conflict")
    ? error.recover
    : undefined;
}
