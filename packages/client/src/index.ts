import { isPage } from "#page";
import { shareClasses } from "./errors/share-classes.ts";

export type { BudgetLimit } from "./types/budget.ts";
export type { CallOptions, Duration } from "./types/call-options.ts";
export type { Attempt, AttemptFailure, RateLimit } from "./types/attempt.ts";
export type { Bytes, ResultImage } from "./types/result-image.ts";
export type {
  Job,
  JobData,
  OnUpdate,
  OpenJobStatus,
  PollOptions,
  Receipt,
  Recover,
  SavedJob,
  TimelineEntry,
  TryOnResult,
  Update,
  WaitOptions,
} from "./types/job.ts";
export type { Middleware, MiddlewareContext } from "./types/middleware.ts";
export {
  ApiError,
  BatchStoppedError,
  ConnectionError,
  JobFailedError,
  OutcomeUnknownError,
  ResultError,
  WaitTimeoutError,
  type StopReason,
} from "./errors/request-errors.ts";
export { BudgetError, ConfigError, InputError } from "./errors/refusal-errors.ts";
export {
  AuthenticationError,
  BadRequestError,
  ConflictError,
  InsufficientCreditsError,
  InternalServerError,
  NotFoundError,
  PayloadTooLargeError,
  PaymentError,
  PermissionDeniedError,
  RateLimitError,
  TooManyRefusalsError,
  UnprocessableEntityError,
  type ErrorClass,
} from "./errors/named-errors.ts";
export { isTryOnError, type AnyTryOnError, type ErrorWithCode } from "./errors/is-tryon-error.ts";
export {
  TryOnError,
  type ApiErrorCode,
  type FieldIssue,
  type TryOnErrorCode,
} from "./errors/tryon-error.ts";
export type {
  AccountResponse,
  JobStatus,
  OutputSize,
  PackSlug,
  PurchaseWithSPTRequest,
  PurchaseWithSPTResponse,
  paths,
} from "@tryon/spec/openapi";
export type { InputIssue, InputIssueCode } from "./errors/input-issue.ts";
export type {
  Garments,
  ImageInput,
  InputArgument,
  PersonAndGarments,
  JsonValue,
  Metadata,
  TryOnFields,
  TryOnInput,
} from "./types/try-on-input.ts";
export type { Inputs } from "./billing/prices.ts";
export { isFailed, isSucceeded } from "./jobs/job-record.ts";
export type { JobList } from "./jobs/job-list.ts";
export type { JobPage, ListOptions } from "./jobs/list-pages.ts";
export type { KeySearch, UnknownReason } from "./types/key-search.ts";
export type { RunOptions, SubmitOptions } from "./jobs/run-options.ts";
export type { FindOptions } from "./jobs/job-lookup.ts";
export type { Jobs } from "./jobs/jobs.ts";
export type { WaitAllOptions, WaitOutcome } from "./jobs/wait-for-all.ts";
export { Budget } from "./billing/budget.ts";
export { packs, type Costs, type Pack, type Prices } from "./billing/prices.ts";
export type { Account, Credits } from "./billing/credits.ts";
export type { PurchaseOutcome } from "./billing/purchases.ts";
export type { Logger, TryOnOptions } from "./config/options.ts";
export type { Clock } from "./config/options.ts";
export type { Call, WithResponse } from "./api/api.ts";
export { TryOn } from "./client.ts";
export type { PageClientOptions } from "./config/page-options.ts";
export { PageClient, type PageJobs } from "./page-client.ts";

// The bundle of a page has one copy of this package, and is smaller without it.
if (!isPage) shareClasses();
