/** Why the service does not do what it was asked for. Nothing was charged, stored or counted as a job. */
export type ServiceErrorCode =
  | "bad-request"
  | "unauthorized"
  | "insufficient-credits"
  | "payment-failed"
  | "forbidden"
  | "not-found"
  | "conflict"
  | "rate-limited"
  | "server-error";

/** A call that the service refuses, with the sentence that the caller is told. */
export class ServiceError extends Error {
  readonly reason: ServiceErrorCode;

  constructor(reason: ServiceErrorCode, detail: string) {
    super(detail);
    this.name = "Refusal";
    this.reason = reason;
  }
}

/** The refusal of a submission that failed on the server's side before it reached the model. */
export function serverError(): ServiceError {
  return new ServiceError(
    "server-error",
    "Server error before the model was reached; nothing was charged.",
  );
}
