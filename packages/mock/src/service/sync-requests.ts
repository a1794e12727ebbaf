import type { JobRecord, StoredResponse } from "../store/records.ts";
import type { ServiceContext } from "./context.ts";
import type { JobScheduler } from "./job-scheduler.ts";
import { serverError } from "./service-error.ts";
import type { KeyedCall, Replays } from "./replays.ts";

/** The first answer to a submission that was taken. */
export type SubmissionResponse = StoredResponse & { kind: "submitted" };

/** A first call that waits for the end of its job. */
export interface SyncRequest extends KeyedCall {
  readonly jobId: string;
  /** When it is answered although the job has not ended. */
  readonly until: number;
}

const unfinishedMessage = (jobId: string): string =>
  `Not finished within 90 seconds; the job goes on. Poll GET /api/v1/tryon/${jobId}.`;

/** Waits for the ends of jobs in the name of the calls that submitted them. */
export class SyncRequests {
  readonly #context: ServiceContext;
  readonly #life: JobScheduler;
  readonly #replays: Replays;
  readonly #held = new Set<SyncRequest>();

  constructor(context: ServiceContext, life: JobScheduler, replays: Replays) {
    this.#context = context;
    this.#life = life;
    this.#replays = replays;
  }

  /** The answer to a call that waits; it is kept for those who repeat the call. */
  async answer(call: SyncRequest): Promise<SubmissionResponse> {
    // Nobody can ask again for the answer to a call without a key.
    if (call.idempotencyKey !== undefined) this.#held.add(call);
    const answer = await this.#endOf(call);
    await this.#replays.remember(call, answer);
    this.#held.delete(call);
    return answer;
  }

  /** The calls whose answer others may ask for. */
  get state(): readonly SyncRequest[] {
    return [...this.#held];
  }

  /** Goes on waiting in place of callers who are gone, so that those who repeat their calls get an answer. */
  resume(held: readonly SyncRequest[]): void {
    for (const call of held) void this.#context.system.clock.during(() => this.answer(call));
  }

  async #endOf({ jobId, until }: SyncRequest): Promise<SubmissionResponse> {
    const { clock } = this.#context.system;
    let limit: ReturnType<typeof clock.setTimeout> | undefined;
    const timeUp = new Promise<undefined>((resolve) => {
      limit = clock.setTimeout(() => resolve(undefined), until - clock.now());
    });
    const ended = await clock.outside(Promise.race([this.#life.ended(jobId), timeUp]));
    clock.clearTimeout(limit);
    if (ended !== undefined) return submitted(ended, null);
    // A job that still waits for its place must not seem to go back when it is polled.
    const current = await this.#context.store.transact((transaction) => transaction.job(jobId));
    if (current === undefined) throw serverError();
    const status = current.status === "queued" ? "queued" : "running";
    const running = { status, errorCode: null, errorMessage: null } as const;
    return submitted(running, unfinishedMessage(jobId));
  }
}

/** The answer to a submission whose job is in this state. */
export function submitted(
  job: Pick<JobRecord, "status" | "errorCode" | "errorMessage">,
  message: string | null,
): SubmissionResponse {
  const { status, errorCode, errorMessage } = job;
  return { kind: "submitted", status, errorCode, errorMessage, message };
}
