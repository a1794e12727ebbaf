import type { DeliveryRecord, JobRecord, KeyRecord } from "../../store/records.ts";
import type { Transaction } from "../../store/store.ts";
import type { MockJournal } from "../journal.ts";
import { maskKey } from "../masking.ts";
import type { ServerState } from "../server-states.ts";
import type { ChosenJob, DeliveryState, JobState, KeyAccount } from "./state.ts";
import type { Times } from "./times.ts";

/** How much of what hangs on keys the page shows. */
const bounds = { keys: 20, ledgerEntries: 20 } as const;

/** Puts records into the words of the page, within one step of the store. */
export class RecordViews {
  readonly #transaction: Transaction;
  readonly #times: Times;
  readonly #service: ServerState["service"];

  constructor(transaction: Transaction, times: Times, service: ServerState["service"]) {
    this.#transaction = transaction;
    this.#times = times;
    this.#service = service;
  }

  readonly job = (job: JobRecord): JobState => {
    const key = this.#transaction.key(job.keyId);
    const result = this.#service.jobs.isPurged(job) ? null : job.result;
    return {
      job_id: job.id,
      status: job.status,
      output_size: job.outputSize,
      cost_credits: job.costCredits,
      test_mode: job.testMode,
      api_key: maskKey(key?.token ?? ""),
      created_at: job.createdAt,
      started_at: this.#times.started(job),
      due_at: this.#times.due("job-end", job.id),
      completed_at: job.completedAt,
      error_code: job.errorCode,
      error_message: job.errorMessage,
      metadata: job.metadata,
      seed: job.seed,
      webhook_url: job.webhookUrl,
      result: result && {
        width: result.width,
        height: result.height,
        bytes: result.bytes.length,
      },
    };
  };

  readonly delivery = (delivery: DeliveryRecord): DeliveryState => ({
    delivery_id: delivery.id,
    job_id: delivery.jobId,
    url: delivery.url,
    cause: delivery.cause,
    repeats: delivery.repeats,
    state: delivery.state,
    next_attempt_at: this.#times.due("delivery", delivery.id),
    attempts: delivery.attempts.map(({ at, status, durationMs, error }) => ({
      at,
      status,
      ms: durationMs,
      error,
    })),
  });

  chosen(job: JobRecord, journal: Pick<MockJournal, "entries">): ChosenJob {
    const calls = journal.entries({
      method: "POST",
      path: "/api/v1/tryon",
      // A call comes before its job is made, and a fault may hold it up in between.
      since: job.createdAt - 600_000,
    });
    const submission = calls.find(({ jobId }) => jobId === job.id)?.submission;
    const prompt = submission?.fields["prompt"];
    const deliveries = this.#transaction.deliveries(job.id);
    return {
      ...this.job(job),
      prompt: typeof prompt === "string" ? prompt : null,
      instruction: submission?.instruction ?? null,
      deliveries: deliveries.map(this.delivery).toReversed(),
    };
  }

  /** The keys that every server has, and the newest of the others. */
  keys(tokens: readonly string[]): readonly KeyAccount[] {
    const usual = tokens.map((token) => this.#transaction.keyByToken(token));
    const latest = this.#transaction.latestKeys(bounds.keys);
    const known = usual.filter((key) => key !== undefined);
    const others = latest.filter(({ token }) => !tokens.includes(token));
    return [
      ...known.map((key) => this.#account(key, key.token)),
      ...others.map((key) => this.#account(key, null)),
    ];
  }

  #account(key: KeyRecord, token: string | null): KeyAccount {
    const account = this.#transaction.account(key.accountId);
    const entries = this.#transaction.ledger(key.id);
    return {
      key_id: key.id,
      api_key: maskKey(key.token),
      token,
      name: key.name,
      mode: key.mode,
      state: account?.state === "flagged" ? "flagged" : key.state,
      credits: key.credits,
      rate_limit_per_min: key.rateLimitPerMinute,
      total_calls: key.totalCalls,
      ledger: {
        total: entries.length,
        latest: entries
          .slice(-bounds.ledgerEntries)
          .toReversed()
          .map(({ credits, cause, jobId, at }) => ({ credits, cause, job_id: jobId ?? null, at })),
      },
    };
  }
}
