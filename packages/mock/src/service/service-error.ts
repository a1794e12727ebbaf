import type { ServerRule } from "../generated/server-rules.ts";

/** Reason for an error. Nothing was charged, and no job was created. */
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

export interface StoredError {
  readonly reason: ServiceErrorCode;
  readonly detail: string;
  readonly rule: ServerRule | undefined;
}

export class ServiceError extends Error {
  readonly reason: ServiceErrorCode;
  readonly rule: ServerRule | undefined;

  constructor(reason: ServiceErrorCode, detail: string, rule?: ServerRule) {
    super(detail);
    this.name = "ServiceError";
    this.reason = reason;
    this.rule = rule;
  }

  get stored(): StoredError {
    return { reason: this.reason, detail: this.message, rule: this.rule };
  }
}

export function badRequest(detail: string, rule?: ServerRule): never {
  throw new ServiceError("bad-request", detail, rule);
}

export function serverError(): ServiceError {
  return new ServiceError(
    "server-error",
    "Server error before the model was reached; nothing was charged.",
    "errors.500.not-charged",
  );
}
