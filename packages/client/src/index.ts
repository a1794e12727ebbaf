export type { Duration } from "./config/duration.ts";
export type { ApiErrorCode, TryOnErrorCode } from "./errors/code.ts";
export { ApiError } from "./errors/api-error.ts";
export { BatchStoppedError, type StopReason } from "./errors/batch-stopped-error.ts";
export { BudgetError } from "./errors/budget-error.ts";
export { ConfigError } from "./errors/config-error.ts";
export { ConnectionError } from "./errors/connection-error.ts";
export { isTryOnError, type ErrorWithCode } from "./errors/is-tryon-error.ts";
export { InputError } from "./errors/input-error.ts";
export { JobFailedError } from "./errors/job-failed-error.ts";
export { OutcomeUnknownError, type Recover } from "./errors/outcome-error.ts";
export { ResultError } from "./errors/result-error.ts";
export {
  TryOnError,
  type Attempt,
  type AttemptFailure,
  type FieldIssue,
} from "./errors/tryon-error.ts";
export { WaitTimeoutError } from "./errors/wait-timeout-error.ts";
export type {
  AccountResponse,
  JobStatus,
  OutputSize,
  PackSlug,
  PurchaseWithSPTRequest,
  PurchaseWithSPTResponse,
  paths,
} from "./generated/openapi.ts";
export type { ImageInput } from "./images/image-input.ts";
export type { Bytes, ResultImage } from "./images/result-image.ts";
export type { InputIssue, InputIssueCode } from "./jobs/input-issue.ts";
export type { Garments, TryOnInput } from "./jobs/input.ts";
export type { Job, SavedJob, WaitOptions } from "./jobs/job.ts";
export { isFailed, isSucceeded, type JobData, type OpenJobStatus } from "./jobs/job-data.ts";
export type { Jobs } from "./jobs/jobs.ts";
export type { JobList, JobPage, ListOptions } from "./jobs/list.ts";
export type { TimelineEntry, Receipt, TryOnResult } from "./jobs/result.ts";
export type { RunOptions, SubmitOptions } from "./jobs/run-options.ts";
export type { WaitAllOptions, WaitOutcome } from "./jobs/wait-all.ts";
export type { OnUpdate, Update } from "./jobs/updates.ts";
export type { Account } from "./billing/account.ts";
export { Budget } from "./billing/budget.ts";
export type { BudgetLimit } from "./billing/budget-limit.ts";
export type { Costs, Inputs } from "./billing/costs.ts";
export { packs, type Pack } from "./billing/packs.ts";
export type { Prices } from "./billing/prices.ts";
export type { PurchaseOutcome } from "./billing/purchase-outcome.ts";
export type { Credits } from "./billing/credits.ts";
export type { CallOptions, Logger, TryOnOptions } from "./config/options.ts";
export type { Clock } from "./config/clock.ts";
export type { Middleware, MiddlewareContext } from "./http/middleware.ts";
export type { RateLimit } from "./http/rate-limit.ts";
export type { Call, WithResponse } from "./api/call.ts";
export { TryOn } from "./client.ts";
