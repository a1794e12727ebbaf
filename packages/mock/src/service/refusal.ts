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
