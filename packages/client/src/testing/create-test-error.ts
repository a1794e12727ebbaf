import {
  ApiError,
  BatchStoppedError,
  BudgetError,
  ConfigError,
  ConnectionError,
  InputError,
  JobFailedError,
  OutcomeUnknownError,
  ResultError,
  WaitTimeoutError,
  type AnyTryOnError,
  type ApiErrorCode,
  type ErrorWithCode,
  type InputIssue,
  type Job,
  type TryOnError,
  type TryOnErrorCode,
} from "@tryon/client";
import { hints } from "../errors/hints.ts";
import { amount, anything, checkFields, oneOf, text, type Check } from "./check-fields.ts";
import { createTestJob } from "./create-test-job.ts";

type RequestCode = keyof typeof hints;

/** Fields of an error with this code, each of which replaces a default. */
export type TestErrorFields<Code extends TryOnErrorCode> = {
  readonly [
    Name in Exclude<
      keyof ErrorWithCode<Code>,
      "code" | "field" | "message" | "name" | "stack" | "toJSON" | symbol
    >
  ]?: ErrorWithCode<Code>[Name];
};

type FieldName<One = AnyTryOnError> = One extends AnyTryOnError
  ? keyof TestErrorFields<One["code"]>
  : never;

type FieldOf<Name, One = AnyTryOnError> = One extends unknown
  ? Name extends keyof One
    ? One[Name]
    : never
  : never;

/** Fields of all codes. */
type Fields = { readonly [Name in FieldName]?: FieldOf<Name> };

const checks = {
  attempts: anything,
  balance: amount,
  cause: anything,
  cost: amount,
  error_code: text,
  error_message: text,
  hint: text,
  idempotencyKey: text,
  isContentBlocked: anything,
  issues: anything,
  job: anything,
  maxCredits: amount,
  rateLimit: anything,
  reason: oneOf("error", "content_blocked", "journal"),
  received: anything,
  recover: anything,
  requestId: text,
  reserved: amount,
  retryAfter: amount,
  search: anything,
  spent: amount,
  status: amount,
} satisfies Record<FieldName, Check>;

const statuses: Readonly<Record<ApiErrorCode, number>> = {
  bad_request: 400,
  unauthorized: 401,
  insufficient_credits: 402,
  payment_failed: 402,
  forbidden: 403,
  not_found: 404,
  idempotency_conflict: 409,
  purchase_already_processed: 409,
  payload_too_large: 413,
  validation_failed: 422,
  rate_limited: 429,
  too_many_refusals: 429,
  server_error: 500,
  unavailable: 503,
};

const recoverable: ReadonlySet<TryOnErrorCode> = new Set([
  "idempotency_conflict",
  "server_error",
  "unavailable",
]);

const runningJob = (): Job => createTestJob({ status: "running" });

/** Creators of the errors that are not about a request. */
const creators: Readonly<
  Record<Exclude<TryOnErrorCode, RequestCode>, (fields: Fields) => TryOnError>
> = {
  batch_stopped: ({ reason = "error", cause }) =>
    new BatchStoppedError(reason, "The batch stopped.", "See error.cause.", cause),
  budget_exceeded: ({ maxCredits = 8, spent = maxCredits, reserved = 0, cost = 8 }) =>
    new BudgetError({ maxCredits, spent, reserved, count: () => undefined }, cost, false),
  invalid_config: () => new ConfigError("invalid_config", "An option is not valid.", "Change it."),
  // This code has issues of the client alone.
  invalid_input: ({ issues = [missingPerson] }) => new InputError(issues as readonly InputIssue[]),
  job_failed: (fields) => new JobFailedError(fields.job ?? failedJob(fields), fields),
  outcome_unknown: (fields) =>
    new OutcomeUnknownError("The try-on may have been made.", { ...fields, ...recoveryOf(fields) }),
  result_expired: ({ job = createTestJob(), ...fields }) =>
    new ResultError("result_expired", job, fields),
  result_purged: ({ job = createTestJob(), ...fields }) =>
    new ResultError("result_purged", job, fields),
  unsafe_environment: () =>
    new ConfigError("unsafe_environment", "The key would be at risk.", "Use another key."),
  wait_timed_out: ({ job = runningJob(), ...fields }) => new WaitTimeoutError(job, 900_000, fields),
};

/**
 * Creates an error of the client, as a call rejects with it: with the class, the hint and the fields of its code.
 *
 * @param code - Code of the error.
 * @param fields - Fields that replace the defaults, such as `retryAfter` or `job`. By default, `recover()` returns a job that
 * has succeeded.
 * @throws `invalid_input` for an unknown code or field, with the likely name, or for an invalid value.
 * @example
 * import { createTestError } from "@tryon/client/testing";
 *
 * vi.spyOn(tryon, "run").mockRejectedValue(createTestError("rate_limited", { retryAfter: 20 }));
 */
export function createTestError<Code extends TryOnErrorCode>(
  code: Code,
  fields: TestErrorFields<Code> = {},
): ErrorWithCode<Code> {
  checkFields("an error", { code }, { code: oneOf(...Object.keys({ ...hints, ...creators })) });
  checkFields("an error", fields, checks);
  // The class and the fields of an error follow from its code.
  return createError(code, fields) as ErrorWithCode<Code>;
}

function createError(code: TryOnErrorCode, fields: Fields): TryOnError {
  if (!isRequestCode(code)) return creators[code](fields);
  const { hint = hints[code] } = fields;
  if (!isApiCode(code)) {
    return new ConnectionError(code, `The request failed (${code}).`, { ...fields, hint });
  }
  const { status = statuses[code] } = fields;
  const details = { ...fields, status, hint, ...(recoverable.has(code) && recoveryOf(fields)) };
  return new ApiError(code, `POST /api/v1/tryon returned ${status}.`, details);
}

function isRequestCode(code: TryOnErrorCode): code is RequestCode {
  return code in hints;
}

function isApiCode(code: TryOnErrorCode): code is ApiErrorCode {
  return code in statuses;
}

function recoveryOf({ idempotencyKey = "order-17", recover }: Fields) {
  return { idempotencyKey, recover: recover ?? (async () => createTestJob()) };
}

const missingPerson: InputIssue = {
  field: "person",
  message: "person is missing.",
  code: "missing",
  severity: "error",
};

function failedJob(fields: Fields): Job {
  const { error_code = "generation_failed", isContentBlocked } = fields;
  const { error_message = isContentBlocked ? "content_blocked" : null } = fields;
  return createTestJob({ status: "failed", error_code, error_message });
}
