import type {
  AccountResponse,
  PurchaseWithSPTResponse,
  TryOnJobStatus,
  TryOnListResponse,
  TryOnSubmitResponse,
} from "../generated/openapi.ts";
import { sizes } from "../service/catalogue.ts";
import type { JobPage } from "../service/jobs.ts";
import type { PurchaseResponse } from "../service/purchases.ts";
import type { Service } from "../service/service.ts";
import type { SubmitResponse } from "../service/first-responses.ts";
import { formatTime } from "../service/format-time.ts";
import type { JobRecord, KeyRecord } from "../store/records.ts";

/** A job as a poll and the list show it. */
export function jobView(service: Service, job: JobRecord): TryOnJobStatus {
  const { options, results, jobs } = service;
  const result = jobs.isPurged(job) ? null : job.result;
  return {
    job_id: job.id,
    status: job.status,
    result_url: result === null ? null : results.sign(job, service.now()),
    result_width: result?.width ?? null,
    result_height: result?.height ?? null,
    result_bytes: result?.bytes.length ?? null,
    result_content_type: result === null ? null : "image/png",
    seed: job.seed,
    metadata: job.metadata,
    error_code: job.errorCode,
    error_message: job.errorMessage,
    cost_credits: job.costCredits,
    duration_ms: job.durationMs,
    created_at: formatTime(job.createdAt, options.timeFormat),
    completed_at: job.completedAt === null ? null : formatTime(job.completedAt, options.timeFormat),
  };
}

export function listView(service: Service, page: JobPage): TryOnListResponse {
  return { jobs: page.jobs.map((job) => jobView(service, job)), next_cursor: page.nextCursor };
}

/** The answer to a submission: as it was at first, with today's address and balance. */
export function submitView(
  service: Service,
  submitted: SubmitResponse,
): TryOnSubmitResponse | Partial<TryOnSubmitResponse> {
  const { job, response } = submitted;
  const succeeded = response.status === "succeeded" && job.result !== null;
  const whole: TryOnSubmitResponse = {
    job_id: job.id,
    status: response.status,
    result_url: succeeded ? service.results.sign(job, service.now()) : null,
    cost_credits: job.costCredits,
    credits_remaining: submitted.creditsRemaining,
    seed: job.seed,
    metadata: job.metadata,
    test_mode: job.testMode,
    error_code: response.errorCode,
    error_message: response.errorMessage,
    message: response.message,
  };
  return service.options.sparseSubmit ? sparse(whole) : whole;
}

function sparse(whole: TryOnSubmitResponse): Partial<TryOnSubmitResponse> {
  const { job_id, status } = whole;
  if (status === "failed") {
    return {
      job_id,
      status,
      error_code: whole.error_code ?? null,
      error_message: whole.error_message ?? null,
    };
  }
  if (status === "succeeded") {
    const { result_url = null, cost_credits, credits_remaining = null } = whole;
    return { job_id, status, result_url, cost_credits, credits_remaining };
  }
  return whole.message ? { job_id, status, message: whole.message } : { job_id, status };
}

export function accountView(key: KeyRecord): AccountResponse {
  return {
    name: key.name,
    credits_remaining: key.credits,
    rate_limit_per_min: key.rateLimitPerMinute,
    total_calls: key.totalCalls,
    tryon_cost_credits: {
      "1K": sizes["1K"].credits,
      "2K": sizes["2K"].credits,
      "4K": sizes["4K"].credits,
    },
  };
}

export function purchaseView(answer: PurchaseResponse): PurchaseWithSPTResponse {
  const { purchase } = answer;
  return {
    payment_intent_id: purchase.paymentIntentId,
    status: purchase.status,
    pack_slug: purchase.packSlug,
    credits_added: answer.creditsAdded,
    credits_remaining: answer.creditsRemaining,
    next_action: purchase.nextAction,
  };
}
