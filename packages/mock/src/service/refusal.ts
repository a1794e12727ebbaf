/** Why the service does not do what it was asked for. Nothing was charged, stored or counted as a job. */
export type RefusalReason =
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
export class Refusal extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, detail: string) {
    super(detail);
    this.name = "Refusal";
    this.reason = reason;
  }
}

/** The refusal of a submission that failed on the server's side before it reached the model. */
export function serverError(): Refusal {
  return new Refusal(
    "server-error",
    "Server error before the model was reached; nothing was charged.",
  );
}
